import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clientSecret } from '../../sandbox/deployment/client-credentials.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { deployed } from './deployment.ts';

const program = join(process.cwd(), 'cli', 'postrider-admin.mjs');

export type Ended = { readonly code: unknown; readonly out: string; readonly err: string };

/** The program `postrider-admin` in a directory of its own for each test file. Call it where `beforeEach` is allowed. */
export const adminProgram = () => {
  const home = temporaryDirectory('file');
  beforeAll(() => writeFile(home('outputs.json'), JSON.stringify({ [deployed.stackName ?? 'Postrider']: deployed.outputs })));
  const run = (args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Ended> =>
    new Promise((resolve) => {
      execFile(process.execPath, [program, ...args], { env: { PATH: process.env['PATH'], HOME: home(), ...environment } }, (error, out, err) =>
        resolve({ code: error?.code ?? 0, out, err }),
      );
    });
  return {
    home,
    /** A file with the outputs of the stack. */
    outputs: () => home('outputs.json'),
    run,
    /** Runs the program as the headless client for the admin API. */
    runAsMachine: async (...args: readonly string[]): Promise<Ended> => {
      const adminHeadless = deployed.clients.adminHeadless!;
      return run(args, {
        POSTRIDER_CLIENT_ID: adminHeadless.clientId,
        POSTRIDER_CLIENT_SECRET: await clientSecret(adminHeadless, deployed),
        POSTRIDER_OUTPUTS: home('outputs.json'),
      });
    },
  };
};
