package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

const deployments = "../../assets/deploy"

// secretFiles replaces the paths of secrets by files that are there, and returns the variables.
func secretFiles(t *testing.T, vars map[string]string) map[string]string {
	t.Helper()
	contents := map[string]string{"HOUSECOUNT_DATABASE_FILE": "postgres://housecount:sesame@db.example.org/housecount", "HOUSECOUNT_API_KEY_FILE": "key", "HOUSECOUNT_OIDC_CLIENT_SECRET_FILE": "secret", "HOUSECOUNT_SECRET_KEY_FILE": strings.Repeat("k", 40)}
	out := map[string]string{}
	for name, value := range vars {
		if content, ok := contents[name]; ok {
			value = filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(value, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out[name] = value
	}
	return out
}

// accepted reports that serve has no fault to find in its variables but the one that is given to it.
func accepted(t *testing.T, name string, vars map[string]string) {
	t.Helper()
	code, _, stderr := runFor(t, secretFiles(t, vars), "serve", "--language", "fy")
	if lines := strings.Split(strings.TrimSpace(stderr), "\n"); code != exitUsage || !strings.Contains(stderr, `--language "fy"`) || len(lines) != 2 {
		t.Errorf("%s: exit code %d:\n%s", name, code, stderr)
	}
}

// documents decodes the documents of a YAML file.
func documents(t *testing.T, path string) (all []map[string]any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for d := yaml.NewDecoder(bytes.NewReader(b), yaml.Strict()); ; {
		var one map[string]any
		if err := d.Decode(&one); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, one)
	}
}

// at returns what is under names in decoded YAML; nil for nothing.
func at(v any, names ...string) any {
	for _, name := range names {
		switch of := v.(type) {
		case map[string]any:
			v = of[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(of) {
				return nil
			}
			v = of[i]
		default:
			return nil
		}
	}
	return v
}

// The Kubernetes manifests fit together, and their variables are those of serve.
func TestDeploysOnKubernetes(t *testing.T) {
	kinds := map[string]map[string]any{}
	for _, d := range documents(t, deployments+"/kubernetes/housecount.yaml") {
		kinds[d["kind"].(string)] = d
		if at(d, "metadata", "name") != "housecount" {
			t.Errorf("a %s is called %v", d["kind"], at(d, "metadata", "name"))
		}
	}
	vars := map[string]string{}
	for name, value := range at(kinds["ConfigMap"], "data").(map[string]any) {
		vars[name] = value.(string)
	}
	vars["HOUSECOUNT_LISTEN"] = ":8080" // of the image
	accepted(t, "kubernetes", vars)
	pod := at(kinds["Deployment"], "spec", "template")
	label := at(pod, "metadata", "labels", "app.kubernetes.io/name")
	for kind, path := range map[string][]string{"Deployment": {"spec", "selector", "matchLabels"}, "Service": {"spec", "selector"}, "PodDisruptionBudget": {"spec", "selector", "matchLabels"}} {
		if got := at(at(kinds[kind], path...), "app.kubernetes.io/name"); got == nil || got != label {
			t.Errorf("%s selects %v, and pods are %v", kind, got, label)
		}
	}
	container := at(pod, "spec", "containers", "0")
	for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
		path, _ := at(container, probe, "httpGet", "path").(string)
		if path, _, _ := strings.Cut(path, "?"); path != "/healthz" && path != "/readyz" {
			t.Errorf("%s asks %q", probe, path)
		}
	}
	for _, name := range []string{"HOUSECOUNT_DATABASE_FILE", "HOUSECOUNT_API_KEY_FILE", "HOUSECOUNT_OIDC_CLIENT_SECRET_FILE", "HOUSECOUNT_SECRET_KEY_FILE"} {
		if !strings.HasPrefix(vars[name], at(container, "volumeMounts", "0", "mountPath").(string)+"/") {
			t.Errorf("%s is %q, where no secret is mounted", name, vars[name])
		}
	}
	if at(container, "securityContext", "readOnlyRootFilesystem") != true || at(pod, "spec", "securityContext", "runAsNonRoot") != true {
		t.Error("the container may write its image, or runs as root")
	}
}

// Both replicas of the compose file have the same variables, which are those of serve, and each secret is a file.
func TestDeploysWithCompose(t *testing.T) {
	file := documents(t, deployments+"/compose/compose.yaml")[0]
	example, err := os.ReadFile(deployments + "/compose/.env.example")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{}
	for line := range strings.Lines(string(example)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		given[name] = value
	}
	variable := regexp.MustCompile(`\$\{(\w+)(?::[-?]([^}]*))?\}`)
	for _, replica := range []string{"one", "two"} {
		vars := map[string]string{"HOUSECOUNT_LISTEN": ":8080"}
		for name, value := range at(file, "services", replica, "environment").(map[string]any) {
			vars[name] = variable.ReplaceAllStringFunc(value.(string), func(text string) string {
				m := variable.FindStringSubmatch(text)
				if given[m[1]] == "" {
					t.Errorf("%s of %s is in no .env.example", m[1], replica)
				}
				return given[m[1]]
			})
		}
		accepted(t, replica, vars)
		for _, secret := range at(file, "services", replica, "secrets").([]any) {
			if at(file, "secrets", secret.(string), "file") == nil {
				t.Errorf("%s has the secret %v, which is none", replica, secret)
			}
		}
		if proxy, err := os.ReadFile(deployments + "/compose/Caddyfile"); err != nil || !strings.Contains(string(proxy), replica+":8080") {
			t.Errorf("the proxy does not lead to %s (%v)", replica, err)
		}
	}
	if at(file, "services", "one", "read_only") != true || at(file, "services", "db", "ports") != nil {
		t.Error("a replica may write its image, or the database is open to everybody")
	}
}

// The systemd unit starts serve with options that it has, and is locked up: where systemd is there, it says how well.
func TestDeploysWithSystemd(t *testing.T) {
	unit := deployments + "/systemd/housecount.service"
	b, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	vars, command := map[string]string{}, ""
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "Environment="); ok {
			name, value, _ := strings.Cut(value, "=")
			vars[name] = value
			if id := strings.TrimPrefix(value, "%d/"); !strings.Contains(string(b), "LoadCredential="+id+":") {
				t.Errorf("%s is the credential %s, which is not loaded", name, id)
			}
		}
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "ExecStart=/usr/local/bin/housecount "); ok {
			command = value
		}
	}
	config := filepath.Join(t.TempDir(), "housecount.yaml")
	if err := os.WriteFile(config, []byte("public-url: https://dash.example.org\napi-url: https://tickets.example.org\noidc-issuer: https://id.example.org\noidc-client-id: hc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(strings.NewReplacer("/etc/housecount/housecount.yaml", config, "/var/lib/housecount/housecount.db", filepath.Join(t.TempDir(), "house.db")).Replace(command))
	code, _, stderr := runFor(t, secretFiles(t, vars), append(args, "--language", "fy")...)
	if lines := strings.Split(strings.TrimSpace(stderr), "\n"); code != exitUsage || len(lines) != 2 || !strings.Contains(stderr, `--language "fy"`) {
		t.Errorf("exit code %d:\n%s", code, stderr)
	}
	if analyze, err := exec.LookPath("systemd-analyze"); err == nil {
		out, err := exec.CommandContext(t.Context(), analyze, "--no-pager", "security", "--offline=true", unit).CombinedOutput()
		level := regexp.MustCompile(`exposure level for housecount.service: ([\d.]+)`).FindSubmatch(out)
		if level == nil {
			t.Fatalf("%v: %s", err, out)
		}
		if exposure, _ := strconv.ParseFloat(string(level[1]), 64); exposure >= 2 {
			t.Errorf("the unit is exposed to %s of 10", level[1])
		}
	}
}

// The image is built by the toolchain of go.mod with the flags of a release, has nothing but the program, runs as a user
// without rights, and checks its health with a command that there is.
func TestDeploysAsAnImage(t *testing.T) {
	b, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	stages := strings.Split("\n"+string(b), "\nFROM ")[1:]
	build, image := stages[len(stages)-2], stages[len(stages)-1]
	module, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)
	if version == nil || !strings.HasPrefix(build, "golang:"+string(version[1])+"-") {
		t.Errorf("go.mod has %s, and it is built in %.30s", version, build)
	}
	release, err := os.ReadFile("../release/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(build, `CGO_ENABLED=0 go build -trimpath -ldflags='-s -w'`) || !strings.Contains(string(release), `"-trimpath", "-ldflags=-s -w"`) {
		t.Error("the image and the release are built in different ways")
	}
	for _, line := range []string{"USER nonroot", `ENTRYPOINT ["/housecount"]`, `CMD ["serve"]`, "VOLUME /data"} {
		if !strings.Contains(image, "\n"+line+"\n") {
			t.Errorf("the image lacks %s", line)
		}
	}
	if !strings.HasPrefix(image, "gcr.io/distroless/static-") || strings.Contains(image, "\nRUN ") {
		t.Errorf("the image is made of %.60s", image)
	}
	check := regexp.MustCompile(`(?m)^HEALTHCHECK .*CMD \["/housecount", "(\w+)"\]$`).FindStringSubmatch(image)
	if check == nil {
		t.Fatal("the image has no health check")
	}
	if code, stdout, stderr := runFor(t, nil, check[1], "--help"); code != exitOK || !strings.Contains(stdout, "housecount "+check[1]) {
		t.Errorf("the health check: exit code %d\n%s%s", code, stdout, stderr)
	}
}
