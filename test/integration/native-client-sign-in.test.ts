import type { Browser, Page } from 'playwright-core';
import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { openChromium, showsSignInForm, signInOnPage } from './chromium.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { bearer, eventually, httpRequest } from './http-requests.ts';
import { jmapClient, openMailbox } from './jmap-client.ts';
import {
  authorizationUrl,
  claimsOf,
  discover,
  listenOnLoopback,
  postForm,
  proofKey,
  registerClient,
  requestRefresh,
  type Loopback,
  type ServerMetadata,
  type TokenAnswer,
} from './oauth-client.ts';
import { sendMail, uniqueSubject } from './send-by-smtp.ts';

/** A mail program that knows only the base URL of the deployment. */
describeWith('users', 'mail')('sign-in of a native mail client, step by step', () => {
  let browser: Browser;
  let page: Page;
  let metadata: ServerMetadata;
  let loopback: Loopback;
  let clientId: string;
  let tokens: TokenAnswer;

  beforeAll(async () => {
    browser = await openChromium();
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await loopback?.close();
  });

  const authorize = (challenge: string, state: string): string =>
    authorizationUrl(metadata, { client_id: clientId, redirect_uri: loopback.redirectUri, state, code_challenge: challenge, code_challenge_method: 'S256' });

  test('1. finds the authorization server from the base URL', async () => {
    metadata = await discover(deployed.jmapUrl);
    expect(metadata.code_challenge_methods_supported).toContain('S256');
    expect(metadata.token_endpoint_auth_methods_supported).toContain('none');
  });

  test('2. registers with its loopback port, or uses the client of the command line where registration is off', async () => {
    loopback = await (metadata.registration_endpoint ? listenOnLoopback() : listenOnLoopback(Number(new URL(cliCallbackUrls[1]).port)));
    if (!metadata.registration_endpoint) {
      clientId = deployed.clients.cli.clientId;
      return;
    }
    const answer = await registerClient(metadata, 'Native mail', [loopback.redirectUri]);
    expect(answer).toMatchObject({ status: 201, json: { client_id: expect.any(String), scope: 'openid email profile' } });
    clientId = (answer.json as { client_id: string }).client_id;
  });

  test('3. the user signs in at the hosted page, and the client redeems the code once with its PKCE verifier', async () => {
    const { verifier, challenge } = proofKey();
    const redirect = loopback.nextRedirect();
    await page.goto(authorize(challenge, 'client-state'));
    await signInOnPage(page, 'alice');
    const parameters = await redirect;
    expect(parameters.get('state')).toBe('client-state');
    expect(parameters.get('error')).toBeNull();
    await page.waitForURL(`${loopback.redirectUri}?**`);
    const form = {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: loopback.redirectUri,
      code: parameters.get('code') ?? '',
      code_verifier: verifier,
    };
    const answer = await postForm(metadata.token_endpoint, form);
    expect(answer).toMatchObject({
      status: 200,
      json: { token_type: 'Bearer', access_token: expect.any(String), refresh_token: expect.any(String), expires_in: expect.any(Number) },
    });
    tokens = answer.json as TokenAnswer;
    expect(await postForm(metadata.token_endpoint, form)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  });

  test('4. opens the session and reads a received message', async () => {
    const subject = uniqueSubject('For a native client');
    await sendMail([sandboxUser('alice').email], { subject, text: 'Hello native client.' });
    const mail = await jmapClient(tokens.access_token);
    expect(mail.session).toMatchObject({ username: sandboxUser('alice').email });
    await eventually(async () => {
      const { emails } = await openMailbox(mail, 'inbox', ['subject', 'preview']);
      expect(emails).toContainEqual(expect.objectContaining({ subject, preview: 'Hello native client.' }));
    }, 300);
  });

  test('5. a refresh returns an access token with the same scope and a new refresh token', async () => {
    const answer = await requestRefresh(metadata.token_endpoint, clientId, tokens.refresh_token);
    expect(answer).toMatchObject({ status: 200, json: { refresh_token: expect.any(String) } });
    const { access_token: newAccessToken, refresh_token: newRefreshToken } = answer.json as TokenAnswer;
    expect(newRefreshToken).not.toBe(tokens.refresh_token);
    expect(newAccessToken).not.toBe(tokens.access_token);
    expect(claimsOf(newAccessToken)['scope']).toEqual(claimsOf(tokens.access_token)['scope']);
    expect((await httpRequest(`${deployed.jmapUrl}/.well-known/jmap`, { headers: bearer(newAccessToken) })).status).toBe(200);
    tokens = answer.json as TokenAnswer;
  });

  test('6. a revoked refresh token is refused; revoking it again succeeds (RFC 7009 §2.2)', async () => {
    const form = { token: tokens.refresh_token ?? '', client_id: clientId };
    expect((await postForm(metadata.revocation_endpoint, form)).status).toBe(200);
    expect(await requestRefresh(metadata.token_endpoint, clientId, tokens.refresh_token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect((await postForm(metadata.revocation_endpoint, form)).status).toBe(200);
  });

  test('7. signing out redirects only to the client, and the next sign-in requires the password', async () => {
    const logout = (logoutUri: string): string =>
      `${metadata.end_session_endpoint}?${new URLSearchParams({ client_id: clientId, logout_uri: logoutUri }).toString()}`;
    const redirect = loopback.nextRedirect();
    await page.goto(logout(loopback.redirectUri));
    await redirect;
    expect(page.url()).toBe(loopback.redirectUri);
    const refused = await httpRequest(logout('https://evil.example/'));
    expect(refused.headers.get('location') ?? '').not.toContain('evil.example');
    await page.goto(authorize(proofKey().challenge, 'again'));
    expect(await showsSignInForm(page)).toBe(true);
  });
});
