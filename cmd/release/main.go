// Command release makes what a version of housecount is published as, for its developers: archives of the program for
// each platform; checksums; a list of its parts as CycloneDX JSON; the
// licences of all of them; and what has changed. For the first platform the program is built a second time, with every
// package compiled anew, and must be the same bytes; with -twice it is so for each, which takes as many minutes more. With -licences it writes the licences alone, which the program embeds, and
// with -retracted it only asks the module proxy whether the authors of a module that is built in have withdrawn it.
//
// It runs git, go and nothing else, and reads the module cache and node_modules.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// platforms are those for which the program is built, as GOOS/GOARCH.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/arm64"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	licences := flag.String("licences", "", "write the licences of all parts to this `file`, and nothing else")
	out := flag.String("out", "bin/release", "`directory` for the files of the release")
	only := flag.String("platforms", strings.Join(platforms, ","), "`GOOS/GOARCH,...` to build for")
	twice := flag.Bool("twice", false, "build twice for every platform, and not only for the first")
	retracted := flag.Bool("retracted", false, "fail if a module in the version of go.mod was withdrawn by its authors, and do nothing else")
	flag.Parse()
	if *retracted {
		if err := checkRetracted(ctx, nil); err != nil {
			fmt.Fprintln(os.Stderr, "release:", err)
			os.Exit(1)
		}
		return
	}
	if err := release(ctx, *licences, *out, strings.Split(*only, ","), *twice); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release writes the files of a release to the directory out, or only the licences if that names a file.
func release(ctx context.Context, licences, out string, platforms []string, twice bool) error {
	parts, err := readParts(ctx)
	if err != nil {
		return err
	}
	texts, err := licenceTexts(ctx, parts)
	if err != nil {
		return err
	}
	if licences != "" {
		return os.WriteFile(licences, texts, 0o644)
	}
	version, at, err := tagged(ctx)
	if err != nil {
		return err
	}
	notes, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return err
	}
	changes, err := changesOf(string(notes), version)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	bom, err := billOfMaterials(version, parts)
	if err != nil {
		return err
	}
	files := map[string][]byte{"housecount-" + version + ".cdx.json": bom, "licences.txt": texts, "CHANGES.md": []byte(changes)}
	for i, platform := range platforms {
		system, processor, _ := strings.Cut(platform, "/")
		program, err := build(ctx, system, processor, false)
		if err == nil {
			err = checkVersion(program, version)
		}
		if err != nil {
			return err
		}
		name, same := fmt.Sprintf("housecount-%s-%s-%s", version, system, processor), ""
		if i == 0 || twice {
			if err := checkSame(ctx, system, processor, program); err != nil {
				return err
			}
			same = ", twice the same bytes"
		}
		archive, err := archiveOf(name, at, map[string][]byte{programName: program, "LICENSE": license, "licences.txt": texts}, programName)
		if err != nil {
			return err
		}
		files[name+".tar.gz"] = archive
		fmt.Printf("%s.tar.gz %.1f MB%s\n", name, float64(len(archive))/1e6, same)
	}
	files["SHA256SUMS"] = checksums(files)
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(out, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tagged returns the tag of the commit that is checked out and the time of the commit. It fails if there is no tag, or if
// files differ from the commit.
func tagged(ctx context.Context) (tag string, at time.Time, err error) {
	dirty, err := output(ctx, nil, "git", "status", "--porcelain")
	if err != nil {
		return "", at, err
	}
	if dirty != "" {
		return "", at, errors.New("files differ from the commit: commit them or put them away")
	}
	tag, err = output(ctx, nil, "git", "describe", "--exact-match", "--tags", "HEAD")
	if err != nil {
		return "", at, fmt.Errorf("the commit has no tag: make release VERSION=v1.2.3 makes one (%w)", err)
	}
	stamp, err := output(ctx, nil, "git", "show", "--no-patch", "--format=%cI", "HEAD")
	if err != nil {
		return "", at, err
	}
	at, err = time.Parse(time.RFC3339, stamp)
	return tag, at, err
}

// changesOf returns the part of the changelog about a version: what is under its name or, as long as that is not there,
// under Unreleased.
func changesOf(changelog, version string) (string, error) {
	for _, head := range []string{"\n## " + version, "\n## Unreleased"} {
		if _, rest, ok := strings.Cut(changelog, head); ok {
			_, rest, _ = strings.Cut(rest, "\n")
			part, _, _ := strings.Cut(rest, "\n## ")
			return strings.TrimSpace(part) + "\n", nil
		}
	}
	return "", fmt.Errorf("CHANGELOG.md has nothing about %s", version)
}

// programName is the name of the program in an archive.
const programName = "housecount"

// checkVersion fails if a program does not say of itself that it is the version: Go leaves the version out where it is not
// asked for.
func checkVersion(program []byte, version string) error {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return err
	}
	if info.Main.Version != version {
		return fmt.Errorf("the program says that it is version %q, and its tag %q", info.Main.Version, version)
	}
	return nil
}

// checkSame builds the program for a platform again, from nothing, and fails if it differs: then somebody who builds the
// same commit cannot check what was published.
func checkSame(ctx context.Context, system, processor string, program []byte) error {
	again, err := build(ctx, system, processor, true)
	if err != nil {
		return err
	}
	if !bytes.Equal(program, again) {
		return fmt.Errorf("%s/%s: two builds of one commit differ", system, processor)
	}
	return nil
}

// build returns the program for a platform; anew compiles every package again.
func build(ctx context.Context, system, processor string, anew bool) ([]byte, error) {
	dir, err := os.MkdirTemp("", "housecount-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "housecount")
	args := []string{"build", "-buildvcs=true", "-trimpath", "-ldflags=-s -w", "-o", file}
	env := []string{"GOOS=" + system, "GOARCH=" + processor, "CGO_ENABLED=0", "GOFLAGS="}
	if anew {
		env = append(env, "GOCACHE="+filepath.Join(dir, "cache"))
	}
	if _, err := output(ctx, env, "go", append(args, "./cmd/housecount")...); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// archiveOf returns files in a directory as a gzipped tar, which depends on nothing but its arguments; one of them is
// executable.
func archiveOf(dir string, at time.Time, files map[string][]byte, program string) ([]byte, error) {
	var b bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(zipped)
	for _, name := range sortedKeys(files) {
		mode := int64(0o644)
		if name == program {
			mode = 0o755
		}
		if err := w.WriteHeader(&tar.Header{Name: dir + "/" + name, Mode: mode, Size: int64(len(files[name])), ModTime: at.UTC(), Format: tar.FormatPAX}); err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// checksums returns the lines that sha256sum --check reads.
func checksums(files map[string][]byte) []byte {
	var b bytes.Buffer
	for _, name := range sortedKeys(files) {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	return b.Bytes()
}

func sortedKeys[V any](of map[string]V) (keys []string) {
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// output runs a command with additional variables and returns what it wrote.
func output(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(problems.String()))
	}
	return strings.TrimSpace(out.String()), nil
}
