package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"housecount/apiclient/sandbox"
)

// TestStrictClient runs the flows with oauth4webapi, which checks every response against the specifications.
func TestStrictClient(t *testing.T) {
	t.Parallel()
	library, err := filepath.Abs("../../assets/node_modules/oauth4webapi/build/index.js")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(library); err != nil {
		t.Fatalf("oauth4webapi is missing (%v): run npm ci in assets", err)
	}
	s := open(t, sandbox.Options{Empty: true, Clients: clients})
	client := exec.CommandContext(t.Context(), "node", "testdata/oauth-client.mjs", "file://"+library, s.url)
	client.Env = append(os.Environ(), "SECRET="+clients[0].Secret, "PASSWORD=manager-demo")
	if said, err := client.CombinedOutput(); err != nil {
		t.Fatalf("%v (it needs Node.js 20 or newer)\n%s", err, said)
	}
}
