package lexical

// CalibrationID names the constants of this package: weights, synonyms, mixture and
// operating points, and the reading of specifics beside them. It changes whenever one
// of them changes a verdict.
const CalibrationID = "lex-5"

// The operating points of lex-5, each to be exceeded strictly (D1). They were chosen
// on the labelled proposals and on our own held-out cases. At duplicate, no text with
// equal specifics was found to say something else. At loose, more than half of the
// pairs are about the same thing.
const (
	PointDuplicate = 0.62
	PointCluster   = 0.50
	PointLoose     = 0.34
)

// Score is how alike two texts are.
type Score struct {
	Similarity float64 // 0–1, symmetric
	Forward    float64 // share of the first text's meaning in the second, 0–1
	Backward   float64 // share of the second text's meaning in the first, 0–1
	Topic      float64 // share of the shorter text's words, without numbers, in the other, 0–1
}

const (
	// AboutShare is the share of a shorter text's meaning from which a longer one is
	// about the same thing, although the two are not alike as a whole.
	AboutShare = 0.66
	// TopicShare is AboutShare without numbers.
	TopicShare = 0.80
	// FewWords is the fewest words of meaning whose overlap proves anything.
	FewWords = 3
)

// OneMatter reports whether two texts are about the same thing by their words: alike as a
// whole, or one nearly contained in the other. words is how many words of meaning the
// shorter one has.
func (s Score) OneMatter(words int) bool {
	return s.Similarity > PointCluster || s.Topic >= TopicShare && words >= FewWords-1 ||
		s.Similarity > PointLoose && words >= FewWords && max(s.Forward, s.Backward) >= AboutShare
}

// gramShare is the weight of character trigrams in the similarity; words have the
// rest.
const gramShare = 0.2

// Near returns the larger share of meaning that one text has of the other: a cheap
// estimate for the choice of what to compare in full.
func Near(a, b *Doc) float64 { return near(a.Terms, b.Terms, a.Total, b.Total) }

func near(a, b []Term, totalA, totalB float32) float64 {
	if totalA == 0 || totalB == 0 {
		return 0
	}
	return float64(overlap(a, b) / min(totalA, totalB))
}

// Compare returns the similarity of two texts.
func Compare(a, b *Doc) Score {
	if len(a.Terms) == 0 || len(b.Terms) == 0 {
		return Score{}
	}
	shared := overlap(a.Terms, b.Terms)
	topic := float32(0)
	if least := min(a.Total-a.values, b.Total-b.values); least > 0 {
		topic = (shared - sharedValues(a.Terms, b.Terms)) / least
	}
	words := 2 * shared / (a.Total + b.Total)
	grams := dice(a.trigrams(), b.trigrams())
	return Score{
		Similarity: min(1, float64((1-gramShare)*words+gramShare*grams)),
		Forward:    min(1, float64(shared/a.Total)),
		Backward:   min(1, float64(shared/b.Total)),
		Topic:      min(1, float64(topic)),
	}
}

// overlap returns the weight of the shared terms, the mean of both sides.
func overlap(a, b []Term) float32 {
	var sum float32
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].ID < b[j].ID:
			i++
		case a[i].ID > b[j].ID:
			j++
		default:
			sum += (a[i].Weight + b[j].Weight) / 2
			i++
			j++
		}
	}
	return sum
}

// sharedValues returns the weight of the numbers that both texts have.
func sharedValues(a, b []Term) float32 {
	var sum float32
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].ID < b[j].ID:
			i++
		case a[i].ID > b[j].ID:
			j++
		default:
			if a[i].Value {
				sum += (a[i].Weight + b[j].Weight) / 2
			}
			i++
			j++
		}
	}
	return sum
}

// dice returns the share of common trigrams. Its steps are differences of signs and no
// branches: no processor predicts which of two trigrams is less.
func dice(a, b []uint32) float32 {
	if len(a)+len(b) == 0 {
		return 0
	}
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := uint64(a[i]), uint64(b[j])
		less, more := int((x-y)>>63), int((y-x)>>63)
		i += 1 - more
		j += 1 - less
		n += 1 - more - less
	}
	return 2 * float32(n) / float32(len(a)+len(b))
}
