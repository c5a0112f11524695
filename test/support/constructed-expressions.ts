import { fileURLToPath, pathToFileURL } from 'node:url';
import type { FoundExpression } from './regular-expressions.ts';

/**
 * A program that imports the files of its arguments and prints, as JSON, each regular expression that a file makes by
 * `new RegExp()` meanwhile. It is a process of its own, so that each file is loaded by it.
 */
const found: FoundExpression[] = [];

/** The file that calls `new RegExp()`. */
const callingFile = (): string => {
  // oxlint-disable-next-line typescript/unbound-method -- it is put back
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = new Error('call').stack as unknown as readonly NodeJS.CallSite[];
  Error.prepareStackTrace = prepareStackTrace;
  const url = sites.map((site) => site.getFileName() ?? '').find((name) => name.startsWith('file:') && name !== import.meta.url);
  return url === undefined ? '' : fileURLToPath(url);
};

globalThis.RegExp = new Proxy(RegExp, {
  construct(target, parameters, newTarget) {
    const made = Reflect.construct(target, parameters, newTarget) as RegExp;
    found.push({ place: callingFile(), source: made.source, flags: made.flags });
    return made;
  },
});

for (const path of process.argv.slice(2)) await import(pathToFileURL(path).href);
process.stdout.write(JSON.stringify(found), () => process.exit());
