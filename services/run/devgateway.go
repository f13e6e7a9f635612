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
	// principal of their answers. It is provisioned to answer for all reviewers.
	devGateway     = "gateway"
	gatewayKeyFile = "gateway.key"
)

// gatewayUser returns the user of chat gateways, with the password stored in the state
// folder. It has the rights of a fleet's gateway: running on the same machine does not
// permit answers in another principal's name.
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

// writeGatewayURL writes the address for a gateway's login to a file that only the
// folder's owner can read.
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
