import { setTimeout as pause } from 'node:timers/promises';
import {
  CognitoIdentityProviderClient,
  CreateUserPoolClientCommand,
  DescribeUserPoolClientCommand,
  InitiateAuthCommand,
  RevokeTokenCommand,
  UpdateUserPoolClientCommand,
  type AuthFlowType,
} from '@aws-sdk/client-cognito-identity-provider';
import { withEmulator } from '../../support/test-emulator.ts';
import { addPerson, person, poolTemplate, publicClient, refreshAt, signInAt } from './pool-person.ts';

const refusal = { status: 400, json: { error: 'invalid_grant' } };

const client = (flows: string[], rotation?: object): object => publicClient(flows, rotation && { RefreshTokenRotation: rotation });
const template = poolTemplate(
  {},
  {
    Lenient: client(['ALLOW_USER_SRP_AUTH'], { Feature: 'ENABLED', RetryGracePeriodSeconds: 2 }),
    Strict: client(['ALLOW_USER_SRP_AUTH'], { Feature: 'ENABLED', RetryGracePeriodSeconds: 0 }),
    Plain: client(['ALLOW_REFRESH_TOKEN_AUTH', 'ALLOW_USER_SRP_AUTH']),
    Later: client(['ALLOW_REFRESH_TOKEN_AUTH', 'ALLOW_USER_SRP_AUTH']),
  },
);
type Kind = 'lenient' | 'strict' | 'plain' | 'later';

const fixture = withEmulator();
let outputs: Record<string, string>;
let cognito: CognitoIdentityProviderClient;

beforeAll(async () => {
  outputs = await fixture.deploy(template);
  cognito = new CognitoIdentityProviderClient(fixture.clientConfig);
  await addPerson(cognito, outputs['pool']);
});
afterAll(() => cognito.destroy());

const signedIn = async (kind: Kind): Promise<string> => (await signInAt(fixture, outputs[kind]!)).refresh_token!;
const refresh = (kind: Kind, token: string) => refreshAt(fixture, outputs[kind]!, token);
const next = async (kind: Kind, token: string): Promise<string> => {
  const { status, json } = await refresh(kind, token);
  expect(status).toBe(200);
  expect(json['access_token']).toBeDefined();
  return json['refresh_token']!;
};
const revoke = (kind: Kind, token: string) => cognito.send(new RevokeTokenCommand({ Token: token, ClientId: outputs[kind] }));
const endOf = (token: string): number => (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number }).exp;

test('without rotation the refresh token stays valid', async () => {
  const token = await signedIn('plain');
  expect(await next('plain', token)).toBeUndefined();
  expect(await next('plain', token)).toBeUndefined();
});

test('a refresh returns a new refresh token with the expiry of the first one', async () => {
  const first = await signedIn('strict');
  const second = await next('strict', first);
  expect(second).not.toBe(first);
  await pause(1100);
  const third = await next('strict', second);
  expect([endOf(second), endOf(third)]).toEqual([endOf(first), endOf(first)]);
});

test('a used refresh token is refused, and the newest stays valid', async () => {
  const first = await signedIn('strict');
  const second = await next('strict', first);
  expect(await refresh('strict', first)).toMatchObject(refusal);
  expect(await refresh('strict', first)).toMatchObject(refusal);
  expect(await next('strict', second)).toBeDefined();
});

test('within the grace period a used token is valid and replaces the token that it returned before', async () => {
  const first = await signedIn('lenient');
  const lost = await next('lenient', first);
  const second = await next('lenient', first);
  expect(await refresh('lenient', lost)).toMatchObject(refusal);
  await pause(2100);
  expect(await refresh('lenient', first)).toMatchObject(refusal);
  expect(await next('lenient', second)).toBeDefined();
});

test('after concurrent refreshes one refresh token is valid', async () => {
  const first = await signedIn('lenient');
  const given = await Promise.all(Array.from({ length: 5 }, () => next('lenient', first)));
  const good = [];
  for (const token of given) if ((await refresh('lenient', token)).status === 200) good.push(token);
  expect(good).toHaveLength(1);
});

test('a used refresh token stays invalid after a restart', async () => {
  const first = await signedIn('strict');
  const second = await next('strict', first);
  await fixture.restart();
  expect(await refresh('strict', first)).toMatchObject(refusal);
  expect(await next('strict', second)).toBeDefined();
});

test.each(['the newest', 'the first'])('revoking %s token of a sign-in revokes all of them', async (which) => {
  const first = await signedIn('lenient');
  const second = await next('lenient', await next('lenient', first));
  await revoke('lenient', which === 'the first' ? first : second);
  expect(await refresh('lenient', first)).toMatchObject(refusal);
  expect(await refresh('lenient', second)).toMatchObject(refusal);
});

test('revoking another replaced token revokes none', async () => {
  const second = await next('lenient', await signedIn('lenient'));
  const third = await next('lenient', second);
  await revoke('lenient', second);
  expect(await next('lenient', third)).toBeDefined();
});

describe('an app client', () => {
  const settings = { UserPoolId: '', ClientName: 'made', RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 10 } } as const;
  const refused = {
    name: 'InvalidParameterException',
    message: 'ALLOW_REFRESH_TOKEN_AUTH is not a permitted ExplicitAuthFlow when refresh token rotation is enabled',
  };

  test('that rotates must not allow REFRESH_TOKEN_AUTH', async () => {
    await expect(
      cognito.send(new CreateUserPoolClientCommand({ ...settings, UserPoolId: outputs['pool'], ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'] })),
    ).rejects.toMatchObject(refused);
    await expect(
      cognito.send(
        new UpdateUserPoolClientCommand({ UserPoolId: outputs['pool'], ClientId: outputs['strict'], ExplicitAuthFlows: ['ALLOW_REFRESH_TOKEN_AUTH'] }),
      ),
    ).rejects.toMatchObject(refused);
  });

  test('starts to rotate existing tokens when rotation is enabled', async () => {
    const token = await signedIn('later');
    expect(await next('later', token)).toBeUndefined();
    await cognito.send(
      new UpdateUserPoolClientCommand({
        UserPoolId: outputs['pool'],
        ClientId: outputs['later'],
        ExplicitAuthFlows: ['ALLOW_USER_SRP_AUTH'],
        RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 0 },
      }),
    );
    expect(await next('later', token)).toBeDefined();
    expect(await refresh('later', token)).toMatchObject(refusal);
  });

  test('returns its rotation setting', async () => {
    const rotation = async (kind: Kind) =>
      (await cognito.send(new DescribeUserPoolClientCommand({ UserPoolId: outputs['pool'], ClientId: outputs[kind] }))).UserPoolClient?.RefreshTokenRotation;
    expect(await rotation('lenient')).toEqual({ Feature: 'ENABLED', RetryGracePeriodSeconds: 2 });
    expect(await rotation('plain')).toEqual({ Feature: 'DISABLED', RetryGracePeriodSeconds: 0 });
  });

  test.each<AuthFlowType>(['USER_PASSWORD_AUTH', 'USER_AUTH', 'REFRESH_TOKEN_AUTH'])('refuses a flow that it does not allow: %s', async (AuthFlow) => {
    const AuthParameters = { USERNAME: person.email, PASSWORD: person.password, SRP_A: 'a1', REFRESH_TOKEN: await signedIn('strict') };
    await expect(cognito.send(new InitiateAuthCommand({ ClientId: outputs['strict'], AuthFlow, AuthParameters }))).rejects.toMatchObject({
      name: 'InvalidParameterException',
    });
  });

  test('refuses CUSTOM_AUTH without a trigger', async () => {
    await expect(
      cognito.send(new InitiateAuthCommand({ ClientId: outputs['strict'], AuthFlow: 'CUSTOM_AUTH', AuthParameters: { USERNAME: person.email } })),
    ).rejects.toMatchObject({ name: 'InvalidParameterException', message: 'Custom auth lambda trigger is not configured for the user pool.' });
  });
});
