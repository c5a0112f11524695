import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { capability } from '../../contract/jmap/core.ts';
import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { signIn } from '../../sandbox/clients/hosted-sign-in.ts';
import type { SandboxDescription } from '../../sandbox/state/sandbox-description.ts';

export type Arguments = Record<string, unknown>;
type JmapResponse = { readonly methodResponses?: readonly [string, Arguments, string][]; readonly blobId?: string };

/** Reads the options `--outputs FILE`, a sandbox.json, and `--mails NUMBER`. */
export const sandboxOptions = (defaultMails: number): { readonly sandbox: SandboxDescription; readonly mails: number } => {
  const { values } = parseArgs({
    options: { outputs: { type: 'string', default: '.postrider/sandbox.json' }, mails: { type: 'string', default: String(defaultMails) } },
  });
  const sandbox: SandboxDescription = JSON.parse(readFileSync(values.outputs, 'utf8'));
  return { sandbox, mails: Number(values.mails) };
};

/** Signs alice in, and calls JMAP methods on her account. */
export const sandboxAccount = async (sandbox: SandboxDescription) => {
  const { email, password, accountId } = sandbox.users.find((user) => user.email.startsWith('alice@'))!;
  const { access_token: token } = await signIn({
    authUrl: sandbox.authUrl,
    clientId: sandbox.clients.cli.clientId,
    redirectUri: cliCallbackUrls[0],
    email,
    password,
  });
  const post = async (path: string, type: string, body: string | Buffer<ArrayBuffer>): Promise<JmapResponse> => {
    const response = await fetch(`${sandbox.jmapUrl}${path}`, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': type }, body });
    const answer: JmapResponse = JSON.parse(await response.text());
    return answer;
  };
  return {
    email,
    token,
    /** @returns the arguments of each response. */
    call: async (...calls: readonly [string, Arguments][]): Promise<readonly Arguments[]> => {
      const { methodResponses = [] }: JmapResponse = await post(
        '/jmap',
        'application/json',
        JSON.stringify({
          using: [capability.core, capability.mail, capability.submission],
          methodCalls: calls.map(([name, args], index) => [name, { accountId, ...args }, `c${index}`]),
        }),
      );
      return methodResponses.map(([, args]) => args);
    },
    /** @returns the blobId of the octets. */
    upload: async (octets: Buffer<ArrayBuffer>): Promise<string> => (await post(`/upload/${accountId}`, 'message/rfc822', octets)).blobId!,
  };
};
