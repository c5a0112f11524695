import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../../contract/deployment/environment.ts';
import { bundle } from '../../lib/lambda/lambda-bundles.ts';

/**
 * A cold start: loads the bundle and calls its handler. The request has no token, so the response is a 401.
 */
const script = `
const before = process.cpuUsage();
const { handler } = require(process.argv[1]);
handler({ rawPath: '/jmap', headers: {}, body: '{}', requestContext: { http: { method: 'POST' } } }, {}).then((response) => {
  const { user, system } = process.cpuUsage(before);
  if (response.statusCode !== 401) throw new Error(JSON.stringify(response));
  process.stdout.write(String((user + system) / 1000));
});`;

/**
 * The size of the jmap bundle in octets, and the CPU milliseconds of loading it and of its first response (the minimum
 * of five processes).
 */
export const coldStart = (): { readonly octets: number; readonly cpu: number } => {
  const root = join(import.meta.dirname, '..', '..');
  const bundled = bundle({
    root,
    entries: { jmap: 'lambdas/jmap/index.ts' },
    sources: ['core', 'lambdas', 'contract', 'package-lock.json', 'tsconfig.json'],
    cache: '.bundles',
  });
  // Copied to a directory without a package.json, because the project's says that its modules are ES modules.
  const directory = mkdtempSync(join(tmpdir(), 'postrider-bench-'));
  try {
    const file = join(directory, 'index.js');
    copyFileSync(join(bundled, 'jmap', 'index.js'), file);
    const figures = Array.from({ length: 5 }, () => cpuOfFirstAnswer(file));
    return { octets: statSync(file).size, cpu: Math.min(...figures) };
  } finally {
    rmSync(directory, { recursive: true });
  }
};

/** Settings that are parsed when the bundle is loaded, so they must be valid. */
const parsedSettings: Readonly<Record<string, string>> = {
  [environment.userPoolId]: 'us-east-1_abcdefghi',
  [environment.webPushNetworks]: '',
  [environment.accountQuota]: '',
  [environment.eventSourceQueueUrls]: '',
  [environment.sendLimits]: '',
  [environment.deletedMailRetentionDays]: '',
};

/** The environment of any Lambda, by the names of variables. Most values are never used. */
export const anySettings = (): Record<string, string> =>
  Object.fromEntries(Object.values(environment).map((name) => [name, parsedSettings[name] ?? 'https://example.test']));

const cpuOfFirstAnswer = (file: string): number => {
  const credentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret' };
  return Number(execFileSync(process.execPath, ['-e', script, file], { encoding: 'utf8', env: { ...anySettings(), ...credentials } }));
};
