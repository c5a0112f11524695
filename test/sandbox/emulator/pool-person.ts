import { AdminCreateUserCommand, AdminSetUserPasswordCommand, type CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { signIn, type Tokens } from '../../../sandbox/clients/hosted-sign-in.ts';
import { ref, type EmulatorFixture } from '../../support/test-emulator.ts';

export const redirectUri = 'http://localhost:8976/callback';

/** A user in the user pool `Pool`, with a password. */
export const person = { email: 'ada@example.test', password: 'Correct-horse-1' };

/** An app client of the user pool `Pool` for users. */
export const publicClient = (flows: readonly string[], more: object = {}): object => ({
  Type: 'AWS::Cognito::UserPoolClient',
  Properties: {
    UserPoolId: ref('Pool'),
    GenerateSecret: false,
    AllowedOAuthFlowsUserPoolClient: true,
    AllowedOAuthFlows: ['code'],
    AllowedOAuthScopes: ['openid'],
    CallbackURLs: [redirectUri],
    SupportedIdentityProviders: ['COGNITO'],
    ExplicitAuthFlows: flows,
    ...more,
  },
});

/** A template with the user pool `Pool` and its app clients. Each is an output, with its first letter in lower case. */
export const poolTemplate = (properties: object, clients: Readonly<Record<string, object>>, more: object = {}): object => ({
  Resources: { ...more, Pool: { Type: 'AWS::Cognito::UserPool', Properties: { UsernameAttributes: ['email'], ...properties } }, ...clients },
  Outputs: Object.fromEntries(['Pool', ...Object.keys(clients)].map((id) => [`${id[0]!.toLowerCase()}${id.slice(1)}`, { Value: ref(id) }])),
});

export const addPerson = async (cognito: CognitoIdentityProviderClient, poolId: string | undefined): Promise<void> => {
  const user = { UserPoolId: poolId, Username: person.email };
  await cognito.send(new AdminCreateUserCommand({ ...user, UserAttributes: [{ Name: 'email', Value: person.email }], MessageAction: 'SUPPRESS' }));
  await cognito.send(new AdminSetUserPasswordCommand({ ...user, Password: person.password, Permanent: true }));
};

export const signInAt = ({ emulator }: EmulatorFixture, clientId: string): Promise<Tokens> =>
  signIn({ authUrl: emulator.endpoint, clientId, redirectUri, scope: 'openid', ...person });

/** The token endpoint's response to a refresh token. */
export const refreshAt = async ({ emulator }: EmulatorFixture, clientId: string, token: string): Promise<{ status: number; json: Record<string, string> }> => {
  const answer = await fetch(`${emulator.endpoint}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', client_id: clientId, refresh_token: token }),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, string> };
};
