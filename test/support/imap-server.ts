import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export type ImapMessage = {
  readonly uid: number;
  readonly raw: Buffer;
  readonly flags?: readonly string[];
  /** A date in IMAP's format: `21-Nov-2026 08:38:00 +0100`. */
  readonly date?: string;
  readonly labels?: readonly string[];
  /** What the server does when its content is fetched, or anything of it: it refuses, or ends the connection. */
  readonly fault?: { readonly of: 'content' | 'anything'; readonly by: 'NO' | 'BYE' };
};
export type ImapFolder = {
  /** The name in modified UTF-7. */
  readonly name: string;
  readonly attributes?: readonly string[];
  readonly uidValidity?: number;
  /** Whether the server refuses to open the folder. */
  readonly isRefused?: boolean;
  readonly messages: readonly ImapMessage[];
};
export type ImapAccount = { readonly folders: readonly ImapFolder[]; readonly delimiter?: string; readonly capabilities?: readonly string[] };

const quote = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** Whether a UID is in a sequence set such as `1:3,7`. */
const isIn = (set: string, uid: number): boolean =>
  set.split(',').some((range) => {
    const [from, to = from] = range.split(':');
    return uid >= Number(from) && (to === '*' || uid <= Number(to));
  });

const folderOf = ({ folders }: ImapAccount, argument: string): ImapFolder | undefined => {
  const name = argument.replace(/^"(.*)"$/s, '$1').replaceAll(/\\(.)/g, '$1');
  return folders.find((folder) => folder.name === name);
};

/** The FETCH response for one message, with the requested items. */
const fetched = (message: ImapMessage, seq: number, items: string): Buffer => {
  const parts = [
    `UID ${message.uid}`,
    ...(items.includes('FLAGS') ? [`FLAGS (${(message.flags ?? []).join(' ')})`] : []),
    ...(items.includes('INTERNALDATE') ? [`INTERNALDATE "${message.date ?? '21-Nov-2026 08:38:00 +0000'}"`] : []),
    ...(items.includes('RFC822.SIZE') ? [`RFC822.SIZE ${message.raw.length}`] : []),
    ...(items.includes('X-GM-LABELS') ? [`X-GM-LABELS (${(message.labels ?? []).map(quote).join(' ')})`] : []),
  ].join(' ');
  if (!items.includes('BODY.PEEK[]')) return Buffer.from(`* ${seq} FETCH (${parts})\r\n`);
  return Buffer.concat([Buffer.from(`* ${seq} FETCH (${parts} BODY[] {${message.raw.length}}\r\n`), message.raw, Buffer.from(')\r\n')]);
};

/** A reply to a command: whole responses without a tag, and the status of the command. */
export type ImapReply = { readonly responses: readonly Buffer[]; readonly status: string };
export type ImapDamage = (command: string, reply: ImapReply) => ImapReply;

type Reply = { readonly untagged?: readonly (string | Buffer)[]; readonly status?: string; readonly isEnd?: boolean };

/** The FETCH responses for these messages, up to the one at which the server fails. */
const fetchReply = (messages: readonly ImapMessage[], set: string, items: string): Reply => {
  const isFaulty = ({ uid, fault }: ImapMessage): boolean =>
    isIn(set, uid) && fault !== undefined && (fault.of === 'anything' || items.includes('BODY.PEEK[]'));
  const failing = messages.findIndex(isFaulty);
  const sent = messages.slice(0, failing < 0 ? messages.length : failing);
  const untagged = sent.flatMap((message, index) => (isIn(set, message.uid) ? [fetched(message, index + 1, items)] : []));
  if (failing < 0) return { untagged };
  if (messages[failing]!.fault!.by === 'NO') return { untagged, status: 'NO [SERVERBUG] Internal error occurred.' };
  return { untagged: [...untagged, 'BYE FETCH failed: Internal error occurred.'], isEnd: true };
};

/** The session of one connection (RFC 3501), with the commands that a client needs to read mail. */
const session = (account: ImapAccount, { password, damage, log }: { password: string; damage: ImapDamage; log: string[] }) => {
  let selected: ImapFolder | undefined;
  const delimiter = account.delimiter ?? '/';
  const capabilities = ['IMAP4rev1', 'AUTH=XOAUTH2', 'SASL-IR', 'SPECIAL-USE', ...(account.capabilities ?? [])].join(' ');
  const authenticate = (text: string): Reply => (text.includes(password) ? {} : { status: 'NO [AUTHENTICATIONFAILED] Wrong password' });
  const commands: { readonly [name: string]: (args: string) => Reply } = {
    CAPABILITY: () => ({ untagged: [`CAPABILITY ${capabilities}`] }),
    LOGIN: authenticate,
    AUTHENTICATE: (args) => authenticate(Buffer.from(args.split(' ')[1] ?? '', 'base64').toString()),
    LIST: (args) => ({
      untagged: args.startsWith('"" ""')
        ? [`LIST (\\Noselect) ${quote(delimiter)} ""`]
        : account.folders.map(({ name, attributes = [] }) => `LIST (${attributes.join(' ')}) ${quote(delimiter)} ${quote(name)}`),
    }),
    LSUB: () => ({}),
    STATUS: (args) => {
      const folder = folderOf(account, args.replace(/ \([^)]*\)$/, ''));
      return folder ? { untagged: [`STATUS ${quote(folder.name)} (MESSAGES ${folder.messages.length})`] } : { status: 'NO no such mailbox' };
    },
    EXAMINE: (args) => {
      selected = folderOf(account, args);
      if (!selected || selected.isRefused) return { status: 'NO no such mailbox' };
      const { messages, uidValidity = 1 } = selected;
      return {
        untagged: [`${messages.length} EXISTS`, 'FLAGS ()', `OK [UIDVALIDITY ${uidValidity}] .`, 'OK [UIDNEXT 99999] .'],
        status: 'OK [READ-ONLY] done',
      };
    },
    UID: (args) => {
      const [, command, set = '', items = ''] = /^(\w+) (\S+) ?(.*)$/s.exec(args) ?? [];
      const messages = selected?.messages ?? [];
      if (command === 'SEARCH') return { untagged: [`SEARCH ${messages.map(({ uid }) => uid).join(' ')}`] };
      return fetchReply(messages, set, items);
    },
    NOOP: () => ({}),
    ID: () => ({ untagged: ['ID NIL'] }),
    CLOSE: () => ({}),
    UNSELECT: () => ({}),
    LOGOUT: () => ({ untagged: ['BYE'] }),
    NAMESPACE: () => ({ untagged: [`NAMESPACE (("" ${quote(delimiter)})) NIL NIL`] }),
  };
  return (line: string): { readonly parts: readonly (string | Buffer)[]; readonly isEnd: boolean } => {
    const [, tag = '*', name = '', args = ''] = /^(\S+) (\S+) ?(.*)$/s.exec(line) ?? [];
    log.push(`${name.toUpperCase()} ${args}`.trim());
    const { untagged = [], status = 'OK done', isEnd = false } = commands[name.toUpperCase()]?.(args) ?? { status: 'BAD unknown command' };
    const responses = untagged.map((each) => (Buffer.isBuffer(each) ? each : Buffer.from(`* ${each}\r\n`, 'latin1')));
    const damaged = damage(`${name.toUpperCase()} ${args}`.trim(), { responses, status });
    return { parts: isEnd ? damaged.responses : [...damaged.responses, `${tag} ${damaged.status}\r\n`], isEnd };
  };
};

/** A read-only IMAP server on this machine. `damage` changes its replies. */
export const imapServer = async (
  account: ImapAccount,
  { password = 'secret', damage = (_, reply) => reply }: { password?: string; damage?: ImapDamage } = {},
) => {
  const log: string[] = [];
  const cut: { after: number | undefined; isForGood: boolean } = { after: undefined, isForGood: false };
  let written = 0;
  const ended = new WeakSet<Socket>();
  const send = (socket: Socket, content: string | Buffer): void => {
    if (ended.has(socket)) return;
    const octets = Buffer.from(content as string, 'latin1');
    written += octets.length;
    if (cut.after === undefined || written < cut.after) return void socket.write(octets);
    ended.add(socket);
    if (cut.isForGood) server.close();
    cut.after = undefined;
    socket.write(octets.subarray(0, octets.length / 2), () => socket.destroy());
  };
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    const answer = session(account, { password, damage, log });
    let input = '';
    socket.on('error', () => undefined);
    socket.write('* OK ready\r\n');
    socket.on('data', (chunk) => {
      input += chunk.toString('latin1');
      for (let end = input.indexOf('\r\n'); end >= 0 && !socket.destroyed; end = input.indexOf('\r\n')) {
        const line = input.slice(0, end);
        input = input.slice(end + 2);
        const { parts, isEnd } = answer(line);
        for (const part of parts) if (!socket.destroyed) send(socket, part);
        if (isEnd || /^\S+ LOGOUT/i.test(line)) socket.end();
      }
    });
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return {
    url: (user: string) => `imap://${user}@127.0.0.1:${(server.address() as AddressInfo).port}`,
    log,
    /** Closes the connection once, in the middle of a response, after `octets` more octets. */
    cutAfter: (octets: number) => {
      cut.after = written + octets;
    },
    /** Does the same, and accepts no connection after it. */
    closeAfter: (octets: number) => {
      Object.assign(cut, { after: written + octets, isForGood: true });
    },
    close: () => server.close(),
  };
};
