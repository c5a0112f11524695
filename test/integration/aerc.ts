import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { selfSignedCertificate } from '../support/self-signed-certificate.ts';
import { tlsServer } from '../support/tls-server.ts';

/** Whether the mail client aerc is available: a version with JMAP (0.16 or newer), and `script` for a terminal. */
export const hasAerc = (): boolean => {
  try {
    const [, minor] = /aerc 0\.(\d+)/.exec(execFileSync('aerc', ['--version']).toString()) ?? [];
    execFileSync('script', ['--version']);
    return Number(minor) >= 16;
  } catch {
    return false;
  }
};

export type Aerc = {
  /** Types a command, such as `:read`. */
  command(text: string): void;
  /** Whether aerc has shown this text. It moves the cursor instead of writing blanks, so blanks do not count. */
  hasShown(text: string): boolean;
  stop(): Promise<void>;
};

/** Starts aerc in a new terminal, with an account at the session's URL. */
export const startAerc = async (sessionUrl: string, email: string, token: string): Promise<Aerc> => {
  const home = mkdtempSync(join(tmpdir(), 'postrider-aerc-'));
  const certificate = selfSignedCertificate('localhost', '127.0.0.1');
  const server = await tlsServer(sessionUrl, certificate);
  const configuration = join(home, '.config', 'aerc');
  mkdirSync(configuration, { recursive: true });
  writeFileSync(join(home, 'certificate.pem'), certificate.certificate);
  writeFileSync(join(configuration, 'aerc.conf'), '');
  writeFileSync(join(configuration, 'binds.conf'), '$ex = :\n');
  const source = `jmap+oauthbearer://:${token}@localhost:${server.port}${new URL(sessionUrl).pathname}`;
  writeFileSync(join(configuration, 'accounts.conf'), `[Test]\nsource = ${source}\noutgoing = jmap://\ndefault = Inbox\nfrom = <${email}>\n`, { mode: 0o600 });
  const aerc = spawn('script', ['--quiet', '--flush', '--return', '--command', 'stty rows 40 cols 140; exec aerc', '/dev/null'], {
    env: { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: home, SSL_CERT_FILE: join(home, 'certificate.pem'), TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let output = '';
  aerc.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => {
    aerc.once('close', () => resolve());
  });
  return {
    command: (text) => {
      aerc.stdin.write(`${text}\r`);
    },
    hasShown: (text) => stripVTControlCharacters(output).replaceAll(/\s/g, '').includes(text.replaceAll(' ', '')),
    async stop() {
      aerc.stdin.write(':quit\r');
      const killer = setTimeout(() => aerc.kill('SIGKILL'), 3000);
      await ended;
      clearTimeout(killer);
      server.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
};
