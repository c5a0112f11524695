import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { signIn, type Tokens } from '../../sandbox/clients/hosted-sign-in.ts';
import { clientToken } from '../../sandbox/deployment/client-credentials.ts';
import { deployed, sandboxUser } from './deployment.ts';

type SandboxUserName = Parameters<typeof sandboxUser>[0];

const cachedTokens = new Map<string, Promise<Tokens>>();

const cached = (key: string, request: () => Promise<Tokens>): Promise<Tokens> => {
  const tokens = cachedTokens.get(key) ?? request();
  cachedTokens.set(key, tokens);
  return tokens;
};

/** Tokens of a user from the hosted sign-in. Each test file signs a user in once. */
export const tokensOf = (name: SandboxUserName): Promise<Tokens> =>
  cached(name, () => signIn({ authUrl: deployed.authUrl, clientId: deployed.clients.cli.clientId, redirectUri: cliCallbackUrls[0], ...sandboxUser(name) }));

export const accessTokenOf = async (name: SandboxUserName): Promise<string> => (await tokensOf(name)).access_token;

/** An access token of a headless client, by client_credentials. */
export const machineToken = async (client: 'jmapHeadless' | 'adminHeadless', scope: string): Promise<string> =>
  (
    await cached(`${client} ${scope}`, () => {
      const headless = deployed.clients[client];
      if (!headless) throw new Error(`the deployment has no headless client ${client}`);
      return clientToken(headless, scope, deployed);
    })
  ).access_token;

/** A token for the admin API: from --admin-token, or of the headless client. */
export const adminMachineToken = async (): Promise<string> => deployed.adminToken ?? machineToken('adminHeadless', 'adminApi/ADMIN');
