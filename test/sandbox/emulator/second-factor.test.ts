import { setTimeout } from 'node:timers/promises';
import {
  AdminDeleteSoftwareTokenCommand,
  AdminSetUserPasswordCommand,
  AssociateSoftwareTokenCommand,
  CognitoIdentityProviderClient,
  RespondToAuthChallengeCommand,
  SetUserPoolMfaConfigCommand,
  VerifySoftwareTokenCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { oneTimeCode } from '../../../sandbox/clients/authenticator-app.ts';
import { signIn, type Authenticator, type Person } from '../../../sandbox/clients/hosted-sign-in.ts';
import { errorMessageIn, parseForms } from '../../../sandbox/clients/html-forms.ts';
import { sendPassword } from '../../support/srp-sign-in.ts';
import { eventually, withEmulator } from '../../support/test-emulator.ts';
import { addPerson, person, poolTemplate, publicClient, redirectUri } from './pool-person.ts';

const fixture = withEmulator();
let outputs: Record<string, string>;
let cognito: CognitoIdentityProviderClient;

beforeAll(async () => {
  outputs = await fixture.deploy(
    poolTemplate(
      { MfaConfiguration: 'ON', EnabledMfas: ['SOFTWARE_TOKEN_MFA'] },
      {
        Client: publicClient(['ALLOW_USER_SRP_AUTH']),
        // AWS takes whole minutes, 3 to 15. Here a step waits for 600 ms.
        Impatient: publicClient(['ALLOW_USER_SRP_AUTH'], { AuthSessionValidity: 0.01 }),
      },
    ),
  );
  cognito = new CognitoIdentityProviderClient(fixture.clientConfig);
  await addPerson(cognito, outputs['pool']);
});
afterAll(() => cognito.destroy());

const reset = () => cognito.send(new AdminDeleteSoftwareTokenCommand({ UserPoolId: outputs['pool'], Username: person.email }));
const atHostedPage = (authenticator?: Authenticator) =>
  signIn({ authUrl: fixture.emulator.endpoint, clientId: outputs['client']!, redirectUri, scope: 'openid', ...person, authenticator });
const byApi = () => sendPassword(cognito, outputs['pool']!, outputs['client']!, person);

/** Signs in at the hosted page up to the page that asks for a code. @returns a function that enters a code there. */
const codePage = async (clientId = outputs['client']!) => {
  const login = `${fixture.emulator.endpoint}/login`;
  const submit = async (fields: Readonly<Record<string, string>>) => {
    const answer = await fetch(login, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
    return { location: answer.headers.get('location'), html: await answer.text() };
  };
  const { html } = await submit({
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid',
    response_type: 'code',
    username: person.email,
    password: person.password,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const hidden = parseForms(html)[0]!.fields.find(({ type }) => type === 'hidden')!;
  return (code: string) => submit({ [hidden.name]: hidden.value, authenticator_code: code });
};

test('the hosted page signs nobody in without an authenticator app, and sets one up', async () => {
  await expect(atHostedPage()).rejects.toThrow('must pass a code of an authenticator app');
  const authenticator: Authenticator = {};
  expect(await atHostedPage(authenticator)).toHaveProperty('access_token');
  expect(authenticator.secret).toMatch(/^[A-Z2-7]{32}$/);
});

test('the hosted page asks for a code at each later sign-in, and refuses a wrong one and one that was used', async () => {
  await reset();
  const authenticator: Authenticator = {};
  const before = Date.now();
  await atHostedPage(authenticator);
  const used = oneTimeCode(authenticator.secret!, before);
  const enter = await codePage();
  for (const code of ['', '000000', used]) {
    const { location, html } = await enter(code);
    expect({ location, error: errorMessageIn(html) }).toEqual({ location: null, error: 'Invalid code. Try the next one.' });
    expect(html).not.toContain(authenticator.secret);
  }
  // The emulator takes codes of a neighbouring period, as clocks differ.
  expect((await enter(oneTimeCode(authenticator.secret!, Date.now() + 30_000))).location).toMatch(/\?code=/);
});

test('the API returns no tokens before a person has set up an app in the session of the sign-in', async () => {
  await reset();
  const { ChallengeName, Session, AuthenticationResult } = await byApi();
  expect({ ChallengeName, AuthenticationResult }).toEqual({ ChallengeName: 'MFA_SETUP', AuthenticationResult: undefined });
  const answer = (session: string | undefined) =>
    cognito.send(
      new RespondToAuthChallengeCommand({
        ClientId: outputs['client'],
        ChallengeName: 'MFA_SETUP',
        Session: session,
        ChallengeResponses: { USERNAME: person.email },
      }),
    );
  await expect(answer(Session)).rejects.toMatchObject({ name: 'NotAuthorizedException' });
  await expect(cognito.send(new AssociateSoftwareTokenCommand({ Session: 'x'.repeat(20) }))).rejects.toMatchObject({ name: 'NotAuthorizedException' });
  const { SecretCode: secret = '', Session: next } = await cognito.send(new AssociateSoftwareTokenCommand({ Session: (await byApi()).Session }));
  const { Session: last } = await cognito.send(new VerifySoftwareTokenCommand({ Session: next, UserCode: oneTimeCode(secret) }));
  expect((await answer(last)).AuthenticationResult).toHaveProperty('AccessToken');
  expect((await byApi()).ChallengeName).toBe('SOFTWARE_TOKEN_MFA');
});

test('AdminDeleteSoftwareToken removes the app, may be repeated, and does not exist for a pool without a second factor', async () => {
  for (const _ of [1, 2]) await reset();
  expect((await byApi()).ChallengeName).toBe('MFA_SETUP');
  const setMfa = (MfaConfiguration: 'ON' | 'OFF') =>
    cognito.send(new SetUserPoolMfaConfigCommand({ UserPoolId: outputs['pool'], MfaConfiguration, SoftwareTokenMfaConfiguration: { Enabled: true } }));
  await setMfa('OFF');
  await expect(reset()).rejects.toMatchObject({ name: 'OperationNotEnabledException' });
  await setMfa('ON');
});

test('a temporary password leads to the setup of an app too, before there are tokens', async () => {
  await reset();
  const Password = 'Temporary-horse-1';
  await cognito.send(new AdminSetUserPasswordCommand({ UserPoolId: outputs['pool'], Username: person.email, Password, Permanent: false }));
  const { Session } = await sendPassword(cognito, outputs['pool']!, outputs['client']!, { email: person.email, password: Password });
  const answer = await cognito.send(
    new RespondToAuthChallengeCommand({
      ClientId: outputs['client'],
      ChallengeName: 'NEW_PASSWORD_REQUIRED',
      Session,
      ChallengeResponses: { USERNAME: person.email, NEW_PASSWORD: person.password },
    }),
  );
  expect([answer.ChallengeName, answer.AuthenticationResult]).toEqual(['MFA_SETUP', undefined]);
});

test('a step of the hosted page ends, and a new sign-in begins with the new password, not with the temporary one', async () => {
  await reset();
  const temporary = { email: person.email, password: 'Temporary-horse-2' };
  await cognito.send(new AdminSetUserPasswordCommand({ UserPoolId: outputs['pool'], Username: person.email, Password: temporary.password, Permanent: false }));
  const at = (client: string, who: Person) => signIn({ authUrl: fixture.emulator.endpoint, clientId: outputs[client]!, redirectUri, scope: 'openid', ...who });
  await expect(at('client', { ...temporary, newPassword: person.password })).rejects.toThrow('must pass a code of an authenticator app');
  const enter = await codePage(outputs['impatient']);
  await eventually(async () => (await enter('000000')).html.includes('Session has expired'));
  await expect(at('client', { ...temporary, newPassword: person.password })).rejects.toThrow('Incorrect username or password');
  expect(await at('client', { ...person, authenticator: {} })).toHaveProperty('access_token');
});

test('a session of the API ends', async () => {
  await reset();
  const { Session } = await sendPassword(cognito, outputs['pool']!, outputs['impatient']!, person);
  await setTimeout(700);
  await expect(cognito.send(new AssociateSoftwareTokenCommand({ Session }))).rejects.toMatchObject({ name: 'NotAuthorizedException' });
});
