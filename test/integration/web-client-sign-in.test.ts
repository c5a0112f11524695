import type { Page } from 'playwright-core';
import { signInOnPage } from './chromium.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { authorizationUrl, proofKey, type ServerMetadata } from './oauth-client.ts';
import { openWebPage } from './web-page.ts';

type PageResponse = { readonly status: number; readonly headers: Record<string, string>; readonly text: string };

/** Fetches a URL by the page's script, so that the browser enforces CORS. Rejects when CORS forbids the request. */
const fetchIn = (
  page: Page,
  url: string,
  init: { method?: string; headers?: Record<string, string>; body?: string; cache?: 'no-store' | 'no-cache' | 'force-cache' } = {},
): Promise<PageResponse> =>
  page.evaluate(
    async ([target, options]) => {
      const answer = await fetch(target, options);
      return { status: answer.status, headers: Object.fromEntries(answer.headers.entries()), text: await answer.text() };
    },
    [url, init] as const,
  );

/** A mail client that is a web page of another origin. The browser enforces CORS for all its requests. */
describeWith('users')('sign-in of a web mail client of another origin, step by step', () => {
  let page: Page;
  let close: () => Promise<void>;
  let origin: string;
  let token: string;
  let session: { apiUrl: string; uploadUrl: string; downloadUrl: string; primaryAccounts: Record<string, string> };
  const authorized = (): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const wellKnown = (name: string): string => `${deployed.jmapUrl}/.well-known/${name}`;
  const accountId = (): string => session.primaryAccounts['urn:ietf:params:jmap:mail'] ?? '';

  beforeAll(async () => {
    ({ page, origin, close } = await openWebPage());
  });
  afterAll(() => close?.());

  test.each(['openid-configuration', 'oauth-authorization-server', 'oauth-protected-resource'])('reads the document %s', async (name) => {
    const answer = await fetchIn(page, wellKnown(name), { cache: 'no-store' });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual(expect.any(Object));
  });

  test('reads a 404 of an unknown path', async () => {
    const answer = await fetchIn(page, wellKnown('nothing'));
    expect(answer).toMatchObject({ status: 404 });
    expect(JSON.parse(answer.text)).toMatchObject({ status: 404 });
  });

  test('reads the 401 of the session, and finds the metadata of its URL without WWW-Authenticate', async () => {
    expect(await fetchIn(page, wellKnown('jmap'))).toMatchObject({ status: 401 });
    const answer = await fetchIn(page, `${wellKnown('oauth-protected-resource')}/.well-known/jmap`);
    expect(JSON.parse(answer.text)).toMatchObject({ resource: wellKnown('jmap') });
  });

  test('registers, signs a user in and redeems the code', async () => {
    const metadata = JSON.parse((await fetchIn(page, wellKnown('oauth-authorization-server'))).text) as ServerMetadata;
    if (!metadata.registration_endpoint) throw new Error('an unknown web client needs registration');
    const redirectUri = `${origin}/back`;
    const registered = await fetchIn(page, metadata.registration_endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Web mail', redirect_uris: [redirectUri] }),
    });
    expect(registered.status).toBe(201);
    const { client_id: clientId } = JSON.parse(registered.text) as { client_id: string };
    const { verifier, challenge } = proofKey();
    await page.goto(
      authorizationUrl(metadata, { client_id: clientId, redirect_uri: redirectUri, state: 's', code_challenge: challenge, code_challenge_method: 'S256' }),
    );
    await signInOnPage(page, 'bob');
    await page.waitForURL(`${redirectUri}?**`);
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    const answer = await fetchIn(page, metadata.token_endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri, code, code_verifier: verifier }).toString(),
    });
    expect(answer.status).toBe(200);
    token = (JSON.parse(answer.text) as { access_token: string }).access_token;
  });

  // @pitfall http no-redirect
  test('opens its session without a redirect', async () => {
    const answer = await fetchIn(page, wellKnown('jmap'), { headers: authorized() });
    expect(answer.status).toBe(200);
    session = JSON.parse(answer.text) as typeof session;
    expect(JSON.parse(answer.text)).toMatchObject({ username: sandboxUser('bob').email });
  });

  test('calls JMAP methods', async () => {
    const answer = await fetchIn(page, session.apiUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorized() },
      body: JSON.stringify({
        using: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail'],
        methodCalls: [['Mailbox/get', { accountId: accountId(), ids: null }, 'c0']],
      }),
    });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({
      methodResponses: [['Mailbox/get', { list: expect.arrayContaining([expect.objectContaining({ role: 'inbox' })]) }, 'c0']],
    });
  });

  test('uploads a blob and downloads it', async () => {
    const uploaded = await fetchIn(page, session.uploadUrl.replace('{accountId}', accountId()), {
      method: 'POST',
      headers: { 'content-type': 'text/plain', ...authorized() },
      body: 'Hello',
    });
    expect(uploaded.status).toBe(200);
    const values: Record<string, string> = {
      accountId: accountId(),
      blobId: (JSON.parse(uploaded.text) as { blobId: string }).blobId,
      type: 'text/plain',
      name: 'hello.txt',
    };
    const url = session.downloadUrl.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(values[key] ?? ''));
    expect(await fetchIn(page, url, { headers: authorized() })).toMatchObject({
      status: 200,
      text: 'Hello',
      headers: { 'content-disposition': expect.stringContaining('attachment') },
    });
  });

  test('reads the 401 for an invalid token', async () => {
    const answer = await fetchIn(page, session.apiUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer forged' },
      body: '{}',
    });
    expect(answer).toMatchObject({ status: 401 });
  });
});
