import { cliCallbackUrls } from '../../contract/oauth.ts';
import { clientToken } from '../../sandbox/client-credentials.ts';
import { signIn, type Tokens } from '../../sandbox/hosted-sign-in.ts';
import { deployed, person } from './deployed.ts';

type Name = Parameters<typeof person>[0];

const held = new Map<string, Promise<Tokens>>();

const once = (key: string, make: () => Promise<Tokens>): Promise<Tokens> => {
  const tokens = held.get(key) ?? make();
  held.set(key, tokens);
  return tokens;
};

/** Tokens of a person, by the hosted sign-in; one sign-in a test file. */
export const tokensOf = (name: Name): Promise<Tokens> => once(name, () => {
  const { email, password } = person(name);
  return signIn({ authUrl: deployed.authUrl, clientId: deployed.clients.cli.clientId, redirectUri: cliCallbackUrls[0], email, password });
});

export const tokenOf = async (name: Name): Promise<string> => (await tokensOf(name)).access_token;

/** An access token of a machine, by client_credentials. */
export const machineToken = async (client: 'jmapHeadless' | 'adminHeadless', scope: string): Promise<string> =>
  (await once(`${client} ${scope}`, () => clientToken(deployed.clients[client], scope, deployed))).access_token;

export const adminMachine = (): Promise<string> => machineToken('adminHeadless', 'adminApi/ADMIN');
