import type { PreflightPorts } from '../../preflight/adapters/aws-preflight-ports.ts';
import { runPreflight } from '../../preflight/run-preflight.ts';

/**
 * Runs the preflight for example.com.
 * @returns its exit code, what it printed, and its line about a subject, with ` | ` between the columns.
 */
export const preflightRun = async (ports: PreflightPorts, args: readonly string[] = [], region = 'us-east-1') => {
  const said = { out: '', err: '' };
  const code = await runPreflight(['-c', 'domain=example.com', '-c', 'lambdaConcurrency=1000', '-c', 'maxRecipientsPerDay=100', ...args], {
    print: (text) => {
      said.out += `${text}\n`;
    },
    printMessage: (text) => {
      said.err += `${text}\n`;
    },
    region,
    storedSettings: {},
    columns: 1_500,
    createPorts: () => ports,
  });
  const line = (subject: string): string =>
    said.out
      .split('\n')
      .find((text) => text.slice(11).startsWith(subject))
      ?.replaceAll(/ {2,}/g, ' | ') ?? '';
  return { code, line, ...said };
};
