import { filesBelow, textOf } from './sources.ts';

type PackageFile = { readonly dependencies: Record<string, string>; readonly devDependencies: Record<string, string> };

const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as PackageFile;
const versions = { ...dependencies, ...devDependencies };

/** Folders whose code runs in Lambdas or on an operator's machine. `lib/` and `bin/` run only to deploy. */
const runtimeFolders = ['core', 'lambdas', 'contract', 'people', 'cli'];

/** `@scope/name/path` → `@scope/name`, `name/path` → `name`. */
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** Packages that a file loads at run time. Type-only imports and Node's own modules are left out. */
const packagesOf = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^;']*?\sfrom\s+)?'([^.'][^']*)'|\bimport\('([^.'][^']*)'\)/gm)]
    .map(([, statement, call]) => (statement ?? call)!)
    .filter((specifier) => !specifier.startsWith('node:'))
    .map(packageOf);

const runtimePackages = new Set(runtimeFolders.flatMap((folder) => filesBelow(folder, ['.ts', '.mjs'])).flatMap((path) => packagesOf(textOf(path))));

describe('package.json', () => {
  test('lists the packages that core/, lambdas/, contract/, people/ and cli/ load as dependencies, and no other package', () => {
    expect([...runtimePackages].sort()).toEqual(Object.keys(dependencies).sort());
  });

  test('pins every package to one exact version', () => {
    expect(Object.entries(versions).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test('pins all AWS SDK clients to one version', () => {
    const clients = Object.entries(versions).filter(([name]) => name.startsWith('@aws-sdk/'));
    expect(clients.length).toBeGreaterThan(10);
    expect([...new Set(clients.map(([, version]) => version))]).toHaveLength(1);
  });
});

describe('the search for packages that a file loads', () => {
  test.each([
    ["import { z } from 'zod';", ['zod']],
    ["import {\n  A,\n  B,\n} from '@aws-sdk/client-s3';", ['@aws-sdk/client-s3']],
    ["import MailComposer from 'nodemailer/lib/mail-composer';", ['nodemailer']],
    ["import { type A, b } from 'jose';", ['jose']],
    ["import 'aws-jwt-verify';", ['aws-jwt-verify']],
    ["export { nanoid } from 'nanoid';", ['nanoid']],
    ["const loaded = await import('postal-mime');", ['postal-mime']],
    ["import type { Context } from 'aws-lambda';", []],
    ["import { join } from 'node:path';", []],
    ["import { limits } from '../contract/limits.ts';", []],
  ])('finds in %j: %j', (text, packages) => {
    expect(packagesOf(text)).toEqual(packages);
  });
});
