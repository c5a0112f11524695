import { clientToken } from '../client-credentials.ts';
import { print, readOptions, stateFrom, stateOption, UsageError, type Command } from '../command-line.ts';
import { runningSandbox } from '../running-sandbox.ts';
import { SandboxError } from '../sandbox-error.ts';
import { tokenOf } from '../welcome-mail.ts';

type Client = 'jmapHeadless' | 'adminHeadless';
const clients: readonly Client[] = ['jmapHeadless', 'adminHeadless'];
const isClient = (name: string): name is Client => (clients as readonly string[]).includes(name);

export const token: Command = {
  summary: 'print an access token of a person or of a machine',
  usage: `npm run -s token -- EMAIL
npm run -s token -- --client jmapHeadless --scope "jmapApi/MAIL_READ"

  EMAIL            somebody of the sandbox, alice@example.test: signs in at the hosted page (authorization code with PKCE)
  --client NAME    ${clients.join(' or ')}: client_credentials
  --scope SCOPES   what the machine asks for, separated by spaces; without it all that it may have
  --state DIR      the sandbox that keeps its things in DIR (default .postrider)`,
  async run(args) {
    const { values, positionals: [email] } = readOptions(args, { ...stateOption, client: { type: 'string' }, scope: { type: 'string' } }, { max: 1 });
    const { client } = values;
    if ((email === undefined) === (client === undefined)) throw new UsageError('Name a person or a client');
    if (email !== undefined && values.scope !== undefined) throw new UsageError('--scope goes with --client: what people may do is decided when they sign in');
    if (client !== undefined && !isClient(client)) throw new UsageError(`There is no client ${client}`);
    const { description } = await runningSandbox(stateFrom(values));
    if (client !== undefined) {
      print((await clientToken(description.clients[client], values.scope ?? '', description)).access_token);
      return 0;
    }
    const person = description.users.find((user) => user.email === email?.toLowerCase());
    if (!person) throw new SandboxError(`The sandbox does not know the password of ${email}.`, `It knows those of ${description.users.map((user) => user.email).join(', ')}.`);
    print(await tokenOf(person, description));
    return 0;
  },
};
