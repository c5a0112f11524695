import { createRequire } from 'node:module';
import { filesBelow, textOf } from './sources.ts';

type Semver = {
  readonly subset: (inner: string, outer: string) => boolean;
  readonly minVersion: (range: string) => { readonly version: string };
};
/** The parser of version ranges that aws-cdk-lib contains. */
const { subset, minVersion } = createRequire(require.resolve('aws-cdk-lib'))('semver') as Semver;

type LockedPackage = { readonly engines?: { readonly node?: string } | readonly string[] };
const { engines: { node } } = JSON.parse(textOf('package.json')) as { engines: { node: string } };
const { packages: { '': own, ...dependencies } } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, LockedPackage> };

describe('the supported versions of Node.js', () => {
  test('are versions that every dependency supports', () => {
    const refusing = Object.entries(dependencies).flatMap(([path, { engines }]) => {
      const range = engines && 'node' in engines ? engines.node : undefined;
      return range !== undefined && !subset(node, range) ? [`${path}: ${range}`] : [];
    });
    expect(refusing).toEqual([]);
  });

  test('are the same in package.json and package-lock.json', () => {
    expect(own!.engines).toEqual({ node });
  });

  test('begin with the version that each workflow installs', () => {
    const installed = filesBelow('.github/workflows', ['.yml']).flatMap((path) =>
      [...textOf(path).matchAll(/node-version: '([^']+)'/g)].map(([, version]) => minVersion(version!).version));
    expect(new Set(installed)).toEqual(new Set([minVersion(node).version]));
  });
});
