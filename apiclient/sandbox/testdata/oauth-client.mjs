// Completes the flows of the sandbox with oauth4webapi, which holds every answer against
// the specifications, and expects the refusals that they ask for.
// Usage: node oauth-client.mjs LIBRARY ISSUER, with the client's secret in SECRET and the
// password of the member of staff in PASSWORD.
import assert from 'node:assert/strict'

const [library, address] = process.argv.slice(2)
const oauth = await import(library)
const issuer = new URL(address)
const insecure = { [oauth.allowInsecureRequests]: true }
const callback = 'http://127.0.0.1:4567/login/callback'
const client = { client_id: 'housecount' }

/** refused expects that a promise fails with an OAuth error of that name. */
async function refused(promise, name) {
  await assert.rejects(promise, (e) => {
    assert.ok(e instanceof oauth.ResponseBodyError, `${name}: ${e.stack}`)
    assert.equal(e.error, name)
    assert.equal(e.status, name === 'invalid_client' ? 401 : 400)
    return true
  })
}

// Discovery, in both forms.
const documents = []
for (const algorithm of ['oidc', 'oauth2']) {
  const answer = await oauth.discoveryRequest(issuer, { algorithm, ...insecure })
  documents.push(await oauth.processDiscoveryResponse(issuer, answer))
}
assert.deepEqual(documents[0], documents[1])
const as = documents[0]
assert.ok(as.code_challenge_methods_supported.includes('S256'))

/** authorize sends a member of staff through the login; it returns the answer. */
async function authorize(changes = {}) {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const nonce = oauth.generateRandomNonce()
  const url = new URL(as.authorization_endpoint)
  for (const [name, value] of Object.entries({
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: callback,
    scope: 'openid profile events.read',
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...changes,
  })) {
    url.searchParams.set(name, value)
  }
  const answer = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ username: 'manager', password: process.env.PASSWORD }),
  })
  await answer.arrayBuffer()
  return { answer, verifier, state, nonce }
}

/** login is a login that went well, up to the code. */
async function login() {
  const { answer, verifier, state, nonce } = await authorize()
  assert.equal(answer.status, 303)
  const back = new URL(answer.headers.get('location'))
  assert.equal(back.origin + back.pathname, callback)
  return { params: oauth.validateAuthResponse(as, client, back, state), verifier, nonce }
}

async function exchange(auth, { params, verifier, nonce }, redirect = callback) {
  const answer = await oauth.authorizationCodeGrantRequest(as, client, auth, params, redirect, verifier, insecure)
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, { expectedNonce: nonce, requireIdToken: true })
  await oauth.validateApplicationLevelSignature(as, answer, insecure)
  return tokens
}

async function refresh(auth, token) {
  const answer = await oauth.refreshTokenGrantRequest(as, client, auth, token, insecure)
  return oauth.processRefreshTokenResponse(as, client, answer)
}

async function ask(token, path) {
  const answer = await oauth.protectedResourceRequest(token, 'GET', new URL(path, issuer), undefined, undefined, insecure)
  await answer.arrayBuffer()
  return answer.status
}

for (const auth of [oauth.ClientSecretBasic(process.env.SECRET), oauth.ClientSecretPost(process.env.SECRET)]) {
  // Authorization code with PKCE.
  const visit = await login()
  const first = await exchange(auth, visit)
  const { sub, name } = oauth.getValidatedIdTokenClaims(first)
  assert.deepEqual([sub, name], ['manager', 'Marijke Terpstra'])
  assert.equal(await ask(first.access_token, '/v2/events'), 200)
  const told = await oauth.userInfoRequest(as, client, first.access_token, insecure)
  await oauth.processUserInfoResponse(as, client, sub, told)

  // Refresh, and a refresh token that is used again: neither it nor its successors are good.
  const second = await refresh(auth, first.refresh_token)
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.equal(oauth.getValidatedIdTokenClaims(second).sub, sub)
  assert.equal(await ask(second.access_token, '/v2/events'), 200)
  await refused(refresh(auth, first.refresh_token), 'invalid_grant')
  await refused(refresh(auth, second.refresh_token), 'invalid_grant')
  await assert.rejects(ask(second.access_token, '/v2/events'), (e) => challenge(e, 401, 'invalid_token'))

  // A code that is used again, one with another verifier, one for another address.
  await refused(exchange(auth, visit), 'invalid_grant')
  await refused(exchange(auth, { ...(await login()), verifier: oauth.generateRandomCodeVerifier() }), 'invalid_grant')
  await refused(exchange(auth, await login(), 'http://127.0.0.1:4568/login/callback'), 'invalid_grant')

  // Client credentials, and a stream outside of their scope.
  const answer = await oauth.clientCredentialsGrantRequest(as, client, auth, { scope: 'events.read' }, insecure)
  const own = await oauth.processClientCredentialsResponse(as, client, answer)
  assert.equal(await ask(own.access_token, '/v2/events'), 200)
  await assert.rejects(ask(own.access_token, '/v2/payments'), (e) => challenge(e, 403, 'insufficient_scope'))

  // A token that was given back.
  const gone = await oauth.revocationRequest(as, client, auth, own.access_token, insecure)
  await oauth.processRevocationResponse(gone)
  await assert.rejects(ask(own.access_token, '/v2/events'), (e) => challenge(e, 401, 'invalid_token'))
}

/** challenge says that an error is a WWW-Authenticate of a kind (RFC 6750, 3.1). */
function challenge(e, status, name) {
  assert.ok(e instanceof oauth.WWWAuthenticateChallengeError, e.stack)
  assert.equal(e.status, status)
  assert.equal(e.cause[0].scheme, 'bearer')
  assert.equal(e.cause[0].parameters.error, name)
  return true
}

// A wrong secret.
const wrong = await oauth.clientCredentialsGrantRequest(as, client, oauth.ClientSecretBasic('wrong'), {}, insecure)
await assert.rejects(oauth.processClientCredentialsResponse(as, client, wrong), (e) => e.status === 401)

// What an address that is not registered is told goes to the person, not to the address.
for (const redirect_uri of ['https://thief.example/login/callback', 'http://127.0.0.1:4567/login/callback/x']) {
  const { answer } = await authorize({ redirect_uri })
  assert.equal(answer.status, 400)
  assert.equal(answer.headers.get('location'), null)
}

// What is wrong otherwise is told to the client, by the names of RFC 6749.
for (const [changes, name] of [
  [{ response_type: 'token' }, 'unsupported_response_type'],
  [{ code_challenge_method: 'plain' }, 'invalid_request'],
  [{ scope: 'unheard.of' }, 'invalid_scope'],
]) {
  const { answer, state } = await authorize(changes)
  assert.ok([302, 303].includes(answer.status), `${name}: ${answer.status}`)
  assert.throws(
    () => oauth.validateAuthResponse(as, client, new URL(answer.headers.get('location')), state),
    (e) => e instanceof oauth.AuthorizationResponseError && e.error === name,
    name,
  )
}
