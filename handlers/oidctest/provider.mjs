// A sign-in service that is not ours: node's oidc-provider, nearly as it comes. Whoever gives a name
// and any password is logged in as that; the name is also the role. It asks for consent, keeps
// sessions of its own, puts roles at the userinfo endpoint alone, and renews refresh tokens.
// Usage: node provider.mjs LIBRARY SITE SECRET [END], with the site's address and its client's
// secret, and the address of the logout where it is to be published at another. It prints its issuer,
// and ends with its standard input.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'

const [library, site, secret, end] = process.argv.slice(2)
const { default: Provider } = await import(library)

const key = (alg, ...args) => ({ ...generateKeyPairSync(...args).privateKey.export({ format: 'jwk' }), alg, use: 'sig' })
const resource = 'https://figures.example/api'

const server = createServer()
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const issuer = `http://127.0.0.1:${server.address().port}`
const provider = new Provider(issuer, {
  clients: [{
    client_id: 'housecount',
    client_secret: secret,
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: [`${site}/login/callback`],
    post_logout_redirect_uris: [`${site}/signed-out`],
    backchannel_logout_uri: `${site}/backchannel-logout`,
    backchannel_logout_session_required: true,
  }],
  jwks: { keys: [key('RS256', 'rsa', { modulusLength: 2048 }), key('ES256', 'ec', { namedCurve: 'P-256' })] },
  cookies: { keys: [secret] },
  claims: { openid: ['sub'], profile: ['name', 'roles'] },
  findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id, name: `The ${id}`, roles: [id] }) }),
  // Its own condition, the scope offline_access, takes prompt=consent at every login.
  issueRefreshToken: (ctx, client) => client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: true,
  // Its own fetch sends no logout token to a loopback address.
  fetch: (url, { dispatcher, ...options }) => fetch(url, options),
  extraTokenClaims: (ctx, token) => ({ roles: [token.accountId] }),
  features: {
    backchannelLogout: { enabled: true },
    // Who does not ask for openid gets an access token for an API instead: an at+jwt.
    resourceIndicators: {
      defaultResource: () => resource,
      getResourceServerInfo: () => ({ scope: 'profile', audience: resource, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }),
    },
  },
})
provider.use(async (ctx, next) => {
  await next()
  if (typeof ctx.body === 'string') ctx.body = ctx.body.replace(/@import url\([^)]*\);/g, '') // fonts from elsewhere
  if (end && ctx.path === '/.well-known/openid-configuration') ctx.body.end_session_endpoint = end
})
provider.on('server_error', (ctx, error) => console.error(error))
provider.on('backchannel.error', (ctx, error) => console.error(error))
server.on('request', provider.callback())
process.stdin.on('end', () => process.exit()).resume()
console.log(issuer)
