package options

import (
	"net/url"

	"housecount/cmd/housecount/certificates"
)

// EdgeFlags are the options for the network, besides those of the login.
type EdgeFlags struct {
	TLSFlags `embed:""`

	ACMEEmail      string `name:"acme-email" help:"Where the authority may write about the certificates." placeholder:"ADDRESS"`
	ACMEDirectory  string `name:"acme-directory" help:"Directory of another authority than Let's Encrypt." placeholder:"URL" check:"https"`
	RedirectListen string `help:"With TLS: address to listen on for plain HTTP, as :80, and to lead from there to the public address. It also answers an authority's questions." placeholder:"HOST:PORT" check:"host:port one like :80"`
	HSTSSubdomains bool   `name:"hsts-subdomains" help:"Have browsers ask also for the names below the public one by https alone."`

	MaxSockets int `help:"Pages that may be open at once; 0 for ${max_sockets}. They are fewer where the limit of open files does not suffice." default:"0" check:"least 1 or 0 for the usual number" manual:"That limit is ulimit -n, less 200. Further pages try again later, and a limit that is too low is logged at the start."`

	SecurityContact []string `help:"Whom to tell of a hole, for security.txt: mailto:, https: or tel: addresses." placeholder:"ADDRESS,..." check:"contact" manual:"It is served at /.well-known/security.txt."`
	SecurityExpires string   `help:"Until when that is right, as 2027-11-30; after that there is no security.txt." placeholder:"DATE" check:"date 2027-11-30, less than a year ahead"`

	SealFlags `embed:""`
}

// SealFlags are the options for what the database keeps sealed.
type SealFlags struct {
	SecretKey         string `help:"Secret of 32 characters or more that seals what the database keeps of sign-ins, certificates and what services gave; one in the database unless given." check:"secret" manual:"See [The secret key](30-sign-in.md#the-secret-key)."`
	SecretKeyFallback string `help:"Another secret that may have sealed it, while the secret is changed." check:"secret"`
}

// TLSFlags are the options for TLS by housecount itself.
type TLSFlags struct {
	TLSCert    string   `name:"tls-cert" help:"File with the certificate, and those between it and the root, to speak TLS with; read again when it changes." type:"path" placeholder:"FILE" manual:"See [TLS](65-tls.md)."`
	TLSKey     string   `name:"tls-key" help:"File with its key." type:"path" placeholder:"FILE"`
	ACMEDomain []string `name:"acme-domain" help:"Instead of files: names to get certificates for from an authority that speaks ACME, such as Let's Encrypt. You accept its terms of service." placeholder:"NAME,..." check:"domain" manual:"See [TLS](65-tls.md)."`
}

// SpeaksTLS reports whether housecount speaks TLS itself; otherwise a proxy may.
func (f TLSFlags) SpeaksTLS() bool { return f.TLSCert != "" || f.TLSKey != "" || len(f.ACMEDomain) > 0 }

// CertifiedURL returns the address for browsers that follows from the certificates; empty if none does.
func (f TLSFlags) CertifiedURL() string {
	if len(f.ACMEDomain) == 0 {
		return ""
	}
	return "https://" + f.ACMEDomain[0]
}

// CheckWith checks the options against each other and against public, the address for browsers.
func (f EdgeFlags) CheckWith(faults *Faults, public string) {
	if (len(f.SecurityContact) > 0) != (f.SecurityExpires != "") {
		faults.Add("--security-contact and --security-expires go together: give both, or neither")
	}
	switch {
	case (f.TLSCert == "") != (f.TLSKey == ""):
		faults.Add("--tls-cert and --tls-key go together: give both")
	case f.TLSCert != "" && len(f.ACMEDomain) > 0:
		faults.Add("--tls-cert and --acme-domain are two ways to the same thing: give one of them")
	case f.TLSCert != "":
		if err := certificates.CheckFiles(f.TLSCert, f.TLSKey); err != nil {
			faults.Add("--tls-cert, --tls-key: %v", err)
		}
	}
	if len(f.ACMEDomain) == 0 && (f.ACMEDirectory != "" || f.ACMEEmail != "") {
		faults.Add("--acme-directory and --acme-email go with --acme-domain")
	}
	if f.RedirectListen != "" && !f.SpeaksTLS() {
		faults.Add("--redirect-listen goes with --tls-cert or --acme-domain: without TLS there is nothing to lead to")
	}
	u, err := url.Parse(public)
	if err != nil || !f.SpeaksTLS() || public == "" {
		return
	}
	if u.Scheme != "https" {
		faults.Add("--public-url %q is not https, which is what is spoken with --tls-cert or --acme-domain", Shown(public))
	}
	if len(f.ACMEDomain) > 0 && !certificates.HasName(f.ACMEDomain, u.Hostname()) {
		faults.Add("--public-url %q has another name than those of --acme-domain: give that name too", Shown(public))
	}
}
