import type { Browser, Page } from 'playwright-core';
import { cliCallbackUrls } from '../../contract/oauth.ts';
import { showsSignInForm, openChromium, signInOnPage } from './chromium.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { httpRequest, bearer, eventually } from './http-requests.ts';
import { jmapClient, openMailbox } from './jmap-client.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';
import { authorizationUrl, claimsOf, discover, listenOnLoopback, postForm, proofKey, registerClient, type Loopback, type ServerMetadata, type TokenAnswer } from './oauth-client.ts';

/** A mail program that has never heard of this deployment, and knows its base URL only. */
describeWith('people', 'smtp')('a native mail client finds its way in', () => {
  let browser: Browser;
  let page: Page;
  let metadata: ServerMetadata;
  let loopback: Loopback;
  let clientId: string;
  let tokens: TokenAnswer;

  beforeAll(async () => {
    browser = await openChromium();
    page = await browser.newPage();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await loopback?.close();
  });

  const authorize = (challenge: string, state: string): string => authorizationUrl(metadata, {
    client_id: clientId, redirect_uri: loopback.redirectUri, state, code_challenge: challenge, code_challenge_method: 'S256',
  });

  test('1. discovery leads from the base URL to where one signs in', async () => {
    metadata = await discover(deployed.jmapUrl);
    expect(metadata.code_challenge_methods_supported).toContain('S256');
    expect(metadata.token_endpoint_auth_methods_supported).toContain('none');
  });

  test('2. it registers with the loopback port that it listens on; where registration is off it has an id already', async () => {
    loopback = await (metadata.registration_endpoint ? listenOnLoopback() : listenOnLoopback(Number(new URL(cliCallbackUrls[1]).port)));
    if (!metadata.registration_endpoint) {
      clientId = deployed.clients.cli.clientId;
      return;
    }
    const answer = await registerClient(metadata, 'Native mail', [loopback.redirectUri]);
    expect(answer).toMatchObject({ status: 201, json: { client_id: expect.any(String), scope: 'openid email profile' } });
    clientId = (answer.json as { client_id: string }).client_id;
  }, 20_000);

  test('3. the person signs in at the hosted page, and the code is exchanged with its proof key', async () => {
    const { verifier, challenge } = proofKey();
    const arrival = loopback.nextRedirect();
    await page.goto(authorize(challenge, 'state-of-ours'));
    await signInOnPage(page, 'alice');
    const back = await arrival;
    expect(back.get('state')).toBe('state-of-ours');
    expect(back.get('error')).toBeNull();
    await page.waitForURL(`${loopback.redirectUri}?**`);
    const form = { grant_type: 'authorization_code', client_id: clientId, redirect_uri: loopback.redirectUri, code: back.get('code') ?? '', code_verifier: verifier };
    const answer = await postForm(metadata.token_endpoint, form);
    expect(answer).toMatchObject({ status: 200, json: { token_type: 'Bearer', access_token: expect.any(String), refresh_token: expect.any(String), expires_in: expect.any(Number) } });
    tokens = answer.json as TokenAnswer;
    expect(await postForm(metadata.token_endpoint, form)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  }, 60_000);

  test('4. the session tells everything else, and a message that arrives can be read', async () => {
    const subject = uniqueSubject('For whoever found the way');
    await sendBySmtp([sandboxUser('alice').email], { subject, text: 'You found it.' });
    const mail = await jmapClient(tokens.access_token);
    expect(mail.session).toMatchObject({ username: sandboxUser('alice').email });
    await eventually(15_000, async () => {
      const { emails } = await openMailbox(mail, 'inbox', ['subject', 'preview']);
      expect(emails).toContainEqual(expect.objectContaining({ subject, preview: 'You found it.' }));
    }, 300);
  }, 30_000);

  test('5. a refresh gives a new access token that is as good, and the refresh token for the next time', async () => {
    const answer = await postForm(metadata.token_endpoint, { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token ?? '' });
    expect(answer).toMatchObject({ status: 200, json: { refresh_token: expect.any(String) } });
    const { access_token: fresh, refresh_token: following } = answer.json as TokenAnswer;
    expect(following).not.toBe(tokens.refresh_token);
    expect(fresh).not.toBe(tokens.access_token);
    expect(claimsOf(fresh)['scope']).toEqual(claimsOf(tokens.access_token)['scope']);
    expect((await httpRequest(`${deployed.jmapUrl}/.well-known/jmap`, { headers: bearer(fresh) })).status).toBe(200);
    tokens = answer.json as TokenAnswer;
  });

  test('6. after a revocation there is no refresh any more; revoking again is no error (RFC 7009 §2.2)', async () => {
    const form = { token: tokens.refresh_token ?? '', client_id: clientId };
    expect((await postForm(metadata.revocation_endpoint, form)).status).toBe(200);
    expect(await postForm(metadata.token_endpoint, { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token ?? '' }))
      .toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect((await postForm(metadata.revocation_endpoint, form)).status).toBe(200);
  });

  test('7. signing out leads back to the client and nowhere else, and the next sign-in asks for the password', async () => {
    const logout = (logoutUri: string): string => `${metadata.end_session_endpoint}?${new URLSearchParams({ client_id: clientId, logout_uri: logoutUri }).toString()}`;
    const arrival = loopback.nextRedirect();
    await page.goto(logout(loopback.redirectUri));
    await arrival;
    expect(page.url()).toBe(loopback.redirectUri);
    const refused = await httpRequest(logout('https://evil.example/'));
    expect(refused.headers.get('location') ?? '').not.toContain('evil.example');
    await page.goto(authorize(proofKey().challenge, 'again'));
    expect(await showsSignInForm(page)).toBe(true);
  }, 30_000);
});
