import { DeleteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { signIn } from '../../sandbox/clients/hosted-sign-in.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { signInUser } from '../../sandbox/deployment/welcome-mail.ts';
import type { SandboxDescription, SandboxUser } from '../../sandbox/state/sandbox-description.ts';

/** What tokens open: the status of the admin API and of the JMAP session. */
type Access = { readonly admin: number; readonly mail: number };

/** A mail program that registered itself, and in which somebody signed in. */
export type MailProgram = {
  readonly clientId: string;
  /** Refreshes its tokens. @returns what the new token opens, or the error of the token endpoint. */
  refresh(): Promise<Access | string>;
};

const accessOf = async ({ adminApiUrl, jmapUrl }: SandboxDescription, token: string): Promise<Access> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const [admin, mail] = await Promise.all([
    fetch(`${adminApiUrl}/users/ListUsers`, { method: 'POST', headers, body: '{}' }),
    fetch(`${jmapUrl}/.well-known/jmap`, { headers }),
  ]);
  return { admin: admin.status, mail: mail.status };
};

/** What a new sign-in at the command line opens. */
export const accessAtCommandLine = async (sandbox: SandboxDescription, person: SandboxUser): Promise<Access> =>
  accessOf(sandbox, await signInUser(person, sandbox));

/** Registers a program and signs a person in. */
export const registerProgram = async (sandbox: SandboxDescription, person: SandboxUser, name: string): Promise<MailProgram> => {
  const { jmapUrl, authUrl } = sandbox;
  const redirectUri = `test.${name.toLowerCase()}:/callback`;
  const registered = await fetch(`${jmapUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirectUri] }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  let { refresh_token: refreshToken } = await signIn({ authUrl, clientId, redirectUri, ...person });
  return {
    clientId,
    async refresh() {
      const form = new URLSearchParams({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken! });
      const answer = await fetch(`${authUrl}/oauth2/token`, { method: 'POST', body: form });
      const tokens = (await answer.json()) as { access_token: string; refresh_token?: string; error?: string };
      if (!answer.ok) return tokens.error ?? String(answer.status);
      refreshToken = tokens.refresh_token ?? refreshToken;
      return accessOf(sandbox, tokens.access_token);
    },
  };
};

/** Deletes the record of a program, as a restore to an earlier time does. */
export const loseRecord = async (sandbox: SandboxDescription, { clientId }: MailProgram): Promise<void> => {
  const TableName = sandbox.outputs['directoryTableName']!;
  await new DynamoDBClient(awsClientConfig(sandbox)).send(new DeleteItemCommand({ TableName, Key: { pk: { S: 'registered-client' }, sk: { S: clientId } } }));
};
