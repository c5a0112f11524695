import { ImapFlow } from 'imapflow';
import { loopbackHosts } from '../../../contract/oauth/registration.ts';
import { codeOf } from '../../../contract/values/thrown.ts';
import { CliError, exitCodes, signInError, usageError } from '../../terminal/cli-error.ts';
import { recordedLines, type RecordedLines } from './recorded-lines.ts';

/** The credentials for the IMAP server: a password, or an access token of OAuth (XOAUTH2, OAUTHBEARER). */
export type ImapCredentials = { readonly pass: string } | { readonly accessToken: string };

/**
 * Maximum consecutive attempts to continue after a lost connection without reading a message, and seconds before the
 * first attempt.
 */
const maxReconnects = 6;
const reconnectDelay = 2;

/** Maximum octets of one part of a response, which the client holds in memory. */
const maxLiteralSize = 256 * 1024 * 1024;

export type Address = { readonly host: string; readonly port: number; readonly secure: boolean; readonly user: string; readonly folder: string };

const decodePart = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** The ports of IMAP with and without TLS (RFC 9051 §2.1, RFC 8314 §3.2). */
export const imapPorts = { secure: 993, plain: 143 } as const;

/**
 * Parses `imaps://user@host[:port][/folder]`. The user may be an address, with `@` or `%40`.
 * @throws CliError for another URL, a URL with a password, and a URL without TLS, except to this machine.
 */
export const parseImapUrl = (text: string): Address => {
  const [, scheme, userPart, hostPart, path = ''] = /^(imaps?):\/\/(.+)@([^@/]+)(?:\/(.*))?$/s.exec(text) ?? [];
  const url = hostPart === undefined ? null : URL.parse(`http://${hostPart}`);
  if (!url || userPart === undefined) {
    throw usageError('an IMAP server is written imaps://USER@HOST, for example imaps://ada%40example.com@imap.example.com');
  }
  if (userPart.includes(':')) {
    throw usageError('the password must not be in the URL; it is asked for, or read from POSTRIDER_IMAP_PASSWORD');
  }
  const secure = scheme === 'imaps';
  if (!secure && !loopbackHosts.some((host) => host === url.hostname)) throw usageError('IMAP without TLS is not supported: use imaps://');
  const port = Number(url.port) || (secure ? imapPorts.secure : imapPorts.plain);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, secure, user: decodePart(userPart), folder: decodePart(path) };
};

/** A connection, and the lines of the server that its client could not read. */
export type ImapConnection = { readonly client: ImapFlow; readonly lines: RecordedLines };

export const connect = async ({ host, port, secure, user }: Address, credentials: ImapCredentials): Promise<ImapConnection> => {
  const { logger, ...lines } = recordedLines();
  const client = new ImapFlow({ host, port, secure, auth: { user, ...credentials }, logger, maxLiteralSize, disableAutoIdle: true });
  // Running commands report the lost connection themselves.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return { client, lines };
  } catch (error) {
    client.close();
    const { authenticationFailed, responseText, message }: Error & { authenticationFailed?: boolean; responseText?: string } =
      error instanceof Error ? error : new Error(String(error));
    if (authenticationFailed) throw signInError(`${host} refused the sign-in of ${user}: ${responseText ?? message}`);
    throw new CliError(`${host} cannot be reached: ${message}`);
  }
};

/** The server's text for an error, if it has one. */
export const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown error';
  const { responseText } = error as Error & { responseText?: unknown };
  return typeof responseText === 'string' ? responseText : error.message;
};

export const isConnectionError = (client: ImapFlow, error: unknown): boolean =>
  !client.usable || /NoConnection|EConnectionClosed|ECONN|ETIMEDOUT|EPIPE/.test(String(codeOf(error)));

/** A connection that is opened again after it is lost. */
export const reconnecting = (address: Address, credentials: ImapCredentials, first: ImapConnection, pause: (milliseconds: number) => Promise<void>) => {
  let connection = first;
  let failures = 0;
  return {
    current: () => connection,
    succeeded: () => {
      failures = 0;
    },
    /**
     * Connects again after an error of the connection.
     * @throws CliError after the maximum number of attempts.
     */
    async reconnect(error: unknown): Promise<void> {
      connection.client.close();
      for (;;) {
        if (failures >= maxReconnects) throw new CliError(`the connection to ${address.host} is lost: ${describeError(error)}`);
        failures += 1;
        await pause(reconnectDelay * 1000 * 2 ** (failures - 1));
        try {
          connection = await connect(address, credentials);
          return;
        } catch (again) {
          if (!(again instanceof CliError) || again.exitCode !== exitCodes.refused) throw again;
        }
      }
    },
  };
};
