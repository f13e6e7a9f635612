package run

import (
	"fmt"
	"net/url"

	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/devstack"
	devnats "github.com/winnowhq/winnow/services/internal/devstack/nats"
)

const (
	// devGateway is the user of chat gateways at an embedded server, and the
	// principal that they answer as. It is provisioned to speak for everybody.
	devGateway     = "gateway"
	gatewayKeyFile = "gateway.key"
)

// gatewayUser is the chat gateways' user with the password that this folder
// keeps for it. It may do what a fleet's gateway may: being on the same machine
// is no reason to answer in somebody's name.
func (d *Dev) gatewayUser() (devnats.User, error) {
	file, err := d.dir.File(gatewayKeyFile)
	if err != nil {
		return devnats.User{}, err
	}
	password, err := devstack.LoadOrCreateKey(file)
	if err != nil {
		return devnats.User{}, err
	}
	rights := jetstream.GatewayRights(devGateway, devGateway)
	return devnats.User{Name: devGateway, Password: password, Publish: rights.Publish, Subscribe: rights.Subscribe}, nil
}

// writeGatewayURL keeps the address at which a gateway logs in where only the
// owner of the folder can read it.
func (d *Dev) writeGatewayURL(u devnats.User) error {
	address, err := url.Parse(d.server.URL())
	if err != nil {
		return fmt.Errorf("gateway's address: %w", err)
	}
	address.User = url.UserPassword(u.Name, u.Password)
	d.GatewayFile = d.dir.GatewayFile()
	if err := devstack.WriteFile(d.GatewayFile, []byte(address.String()+"\n")); err != nil {
		return fmt.Errorf("gateway's address: %w", err)
	}
	return nil
}
