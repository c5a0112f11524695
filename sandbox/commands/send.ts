import { readFile } from 'node:fs/promises';
import { usageError } from '../../cli/terminal/cli-error.ts';
import { parseOptions } from '../../cli/terminal/parse.ts';
import { plainMessage, sendRaw, withSubject } from '../clients/smtp-client.ts';
import { SandboxError } from '../process/sandbox-error.ts';
import { getRunningSandbox } from '../state/running-sandbox.ts';
import { print, stateDirectoryFrom, stateOption, type Command } from './command-line.ts';

const options = {
  ...stateOption,
  from: { type: 'string' },
  to: { type: 'string', multiple: true },
  subject: { type: 'string' },
  body: { type: 'string' },
  file: { type: 'string' },
} as const;

const readMessage = (file: string): Promise<Buffer> =>
  readFile(file).catch((error: Error) => {
    throw new SandboxError(`${file} cannot be read: ${error.message}`);
  });

export const send: Command = {
  summary: 'send a message to the sandbox by SMTP',
  usage: `npm run -s send -- --from ADDRESS --to ADDRESS --subject TEXT [options]

  --from ADDRESS    the sender
  --to ADDRESS      a recipient; may be given several times
  --subject TEXT    the subject; with --file it replaces the message's subject
  --body TEXT       the text (default: a short one)
  --file FILE       send this message (RFC 5322) unchanged
  --state DIR       the sandbox with the state directory DIR (default .postrider)

Exit code 1 when a recipient was refused.`,
  async run(args) {
    const {
      values: { from, to = [], subject, body, file, ...values },
    } = parseOptions(args, options);
    if (!from || to.length === 0) throw usageError('--from and --to are needed');
    if (subject === undefined && file === undefined) throw usageError('--subject or --file is needed');
    if (body !== undefined && file !== undefined) throw usageError('Give --body or --file, not both');
    const {
      description: { smtp },
    } = await getRunningSandbox(stateDirectoryFrom(values));
    const raw =
      file === undefined ? await plainMessage({ from, to, subject: subject ?? '', text: body ?? 'Sent from the command line.\n' }) : await readMessage(file);
    const { accepted, rejected } = await sendRaw(smtp, { from, to }, subject === undefined || file === undefined ? raw : withSubject(raw, subject));
    for (const recipient of accepted) print(`accepted  ${recipient}`);
    for (const { recipient, response } of rejected) print(`refused   ${recipient}: ${response}`);
    return rejected.length > 0 ? 1 : 0;
  },
};
