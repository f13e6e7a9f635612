package main

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// secretKey is what the server of models wants to see.
const secretKey = "key-of-the-models"

// modelServer serves /v1/embeddings to the scripts: words counted into sixteen
// numbers, under every name but "unknown". It wants a key. How the client copes
// with worse servers is tested where the client is.
func modelServer(t *testing.T) (url string) {
	t.Helper()
	type datum struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	serve := func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Input []string `json:"input"`
			Model string   `json:"model"`
		}
		switch err := json.NewDecoder(r.Body).Decode(&in); {
		case err != nil:
			http.Error(w, "{}", http.StatusBadRequest)
			return
		case r.Header.Get("Authorization") != "Bearer "+secretKey:
			http.Error(w, "{}", http.StatusUnauthorized)
			return
		case in.Model == "unknown":
			http.Error(w, `{"error":{"code":"model_not_found","message":"no such model"}}`, http.StatusNotFound)
			return
		}
		data := make([]datum, len(in.Input))
		for i, text := range in.Input {
			data[i] = datum{i, make([]float32, 16)}
			for word := range strings.FieldsSeq(strings.ToLower(text)) {
				h := fnv.New32a()
				_, _ = h.Write([]byte(word))
				data[i].Embedding[h.Sum32()%16]++
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": in.Model, "data": data})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", serve)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}
