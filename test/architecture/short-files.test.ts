import { services } from '../../contract/admin/index.ts';
import type { Service } from '../../contract/rpc/rpc.ts';
import { filesBelow, textOf } from './sources.ts';

/** Minimum lines of a file. A shorter file needs a reason. */
const minLines = 15;
const maxShortFiles = 10;

/** The files with fewer lines, each with its reason. */
const reasons: { readonly [path: string]: string } = {
  'contract/jmap/thread.ts': 'the contract of one record type',
  'core/aws/client/client-timeouts.ts': 'the setting that every SDK client shares',
  'core/directory/domains/unverified-domains.ts': 'a rule that two Lambdas share',
  'core/push/web-push/http-ece.d.ts': 'the types of a package that has none',
  'core/runtime/clock.ts': 'a port that almost every folder imports',
  'lambdas/admin/accounts/account/account-quota.ts': 'a conversion that two methods share',
  'lambdas/admin/monitoring/monitored-log-groups.ts': 'a rule that two methods share',
  'lambdas/deploy-hooks/stored-secret/index.ts': 'the entry of a Lambda with one step',
  'sandbox/process/sandbox-error.ts': 'the one error class of the sandbox',
};

const kebabCase = (name: string): string =>
  name.replaceAll(/(?<=[a-z])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])/g, (letter) => `-${letter}`).toLowerCase();

const lambdaFiles = filesBelow('lambdas');

/** The file that implements a method of a service, in its folder or one below it. */
const fileOf = (service: string, method: string): string | undefined =>
  lambdaFiles.find((path) => path.startsWith(`lambdas/admin/${service}/`) && path.endsWith(`/${kebabCase(method)}.ts`));

/** Files that implement one admin method each, and may be as short as the method. */
const methodFiles = new Set(Object.values<Service>(services).flatMap(({ name, methods }) =>
  Object.keys(methods).map((method) => fileOf(name, method))));

const lineCount = (path: string): number => textOf(path).split('\n').length - 1;

describe('short files', () => {
  const files = ['bin', 'core', 'lambdas', 'lib', 'contract', 'cli', 'sandbox', 'bench'].flatMap(
    (folder) => filesBelow(folder, ['.ts', '.mjs']),
  );

  test(`a file of fewer than ${minLines} lines implements one admin method, or has a reason`, () => {
    const short = files.filter((path) => lineCount(path) < minLines && !methodFiles.has(path));
    expect(short.sort()).toEqual(Object.keys(reasons).sort());
  });

  test(`at most ${maxShortFiles} short files have a reason`, () => {
    expect(Object.keys(reasons).length).toBeLessThanOrEqual(maxShortFiles);
  });

  test('every admin method has a file with its name, or is an alias of a method that has one', () => {
    const methods = Object.values<Service>(services).flatMap(({ name, methods: all }) =>
      Object.entries(all).filter(([, { aliasOf }]) => aliasOf === undefined)
        .map(([method]) => [name, method] as const));
    expect(methods.filter(([service, method]) => fileOf(service, method) === undefined)).toEqual([]);
  });
});
