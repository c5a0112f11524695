import { setTimeout } from 'node:timers/promises';
import { AdminSetUserPasswordCommand, CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { signIn, type Cookies } from '../../../sandbox/clients/hosted-sign-in.ts';
import { withEmulator } from '../../support/test-emulator.ts';
import { addPerson, person, poolTemplate, publicClient, redirectUri, refreshAt } from './pool-person.ts';

const fixture = withEmulator();
let outputs: Record<string, string>;
let cognito: CognitoIdentityProviderClient;

beforeAll(async () => {
  const client = publicClient(['ALLOW_USER_SRP_AUTH'], { RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 0 }, LogoutURLs: [redirectUri] });
  outputs = await fixture.deploy(poolTemplate({}, { Client: client }));
  cognito = new CognitoIdentityProviderClient(fixture.clientConfig);
  await addPerson(cognito, outputs['pool']);
});
afterAll(() => cognito.destroy());

const timeOf = (token: string): unknown => (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>)['auth_time'];
const signInWith = (cookies: Cookies, password = person.password) =>
  signIn({ authUrl: fixture.emulator.endpoint, clientId: outputs['client']!, redirectUri, scope: 'openid', ...person, password, cookies });

test('a browser stays signed in, also after a reset of the password, with the time of the first sign-in, until it signs out', async () => {
  const cookies: Cookies = new Map();
  const first = await signInWith(cookies);
  const time = timeOf(first.access_token);
  expect(time).toEqual(expect.any(Number));
  const Password = 'Another-horse-2';
  await cognito.send(new AdminSetUserPasswordCommand({ UserPoolId: outputs['pool'], Username: person.email, Password, Permanent: true }));
  await setTimeout(1100);
  const { json } = await refreshAt(fixture, outputs['client']!, first.refresh_token!);
  expect(timeOf(json['access_token']!)).toBe(time);
  expect(timeOf((await signInWith(cookies)).access_token)).toBe(time);
  const query = new URLSearchParams({ client_id: outputs['client']!, logout_uri: redirectUri }).toString();
  const answer = await fetch(`${fixture.emulator.endpoint}/logout?${query}`, {
    redirect: 'manual',
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  });
  expect(answer.headers.getSetCookie()).toEqual([expect.stringContaining('Max-Age=0')]);
  await expect(signInWith(cookies)).rejects.toThrow('could not sign in');
  expect(timeOf((await signInWith(cookies, Password)).access_token)).toBeGreaterThan(time as number);
});
