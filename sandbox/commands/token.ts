import { usageError } from '../../cli/terminal/cli-error.ts';
import { parseOptions } from '../../cli/terminal/parse.ts';
import { clientToken } from '../deployment/client-credentials.ts';
import { signInUser } from '../deployment/welcome-mail.ts';
import { SandboxError } from '../process/sandbox-error.ts';
import { getRunningSandbox } from '../state/running-sandbox.ts';
import { print, stateDirectoryFrom, stateOption, type Command } from './command-line.ts';

type Client = 'jmapHeadless' | 'adminHeadless';
const clients: readonly Client[] = ['jmapHeadless', 'adminHeadless'];
const isClient = (name: string): name is Client => (clients as readonly string[]).includes(name);

export const token: Command = {
  summary: 'print an access token of a user or of a machine',
  usage: `npm run -s token -- EMAIL
npm run -s token -- --client jmapHeadless --scope "jmapApi/MAIL_READ"

  EMAIL            a user, such as alice@example.test: signs in at the hosted page (authorization code with PKCE)
  --client NAME    ${clients.join(' or ')}: client_credentials
  --scope SCOPES   the requested scopes, separated by spaces; without it all scopes of the client
  --state DIR      the sandbox with the state directory DIR (default .postrider)`,
  async run(args) {
    const {
      values,
      positionals: [email],
    } = parseOptions(args, { ...stateOption, client: { type: 'string' }, scope: { type: 'string' } }, 1);
    const { client } = values;
    if ((email === undefined) === (client === undefined)) throw usageError('Name a user or a client');
    if (email !== undefined && values.scope !== undefined) throw usageError('--scope is only possible with --client: the scopes of users are fixed');
    if (client !== undefined && !isClient(client)) throw usageError(`There is no client ${client}`);
    const { description } = await getRunningSandbox(stateDirectoryFrom(values));
    if (client !== undefined) {
      print((await clientToken(description.clients[client], values.scope ?? '', description)).access_token);
      return 0;
    }
    const user = description.users.find((each) => each.email === email?.toLowerCase());
    if (!user) {
      throw new SandboxError(
        `The sandbox has no user ${email} with a known password.`,
        `Its users are ${description.users.map((each) => each.email).join(', ')}.`,
      );
    }
    print(await signInUser(user, description));
    return 0;
  },
};
