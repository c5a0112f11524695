import { closeSync, mkdirSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../contract/values/thrown.ts';
import { stateFile } from '../sign-in/config-files.ts';
import { oneLine } from '../sign-in/token-endpoint.ts';
import type { CliContext } from '../terminal/cli-context.ts';
import { CliError } from '../terminal/cli-error.ts';
import { assertReplaceable, makePrivateFile } from '../terminal/private-file.ts';

/** A list of the messages that were not imported, and of notes. Each line has the place and the reason, separated by a tab. */
export type FailureReport = {
  readonly add: (place: string, reason: string) => void;
  /** The file; undefined when there was nothing to report. */
  readonly path: () => string | undefined;
  readonly close: () => void;
};

/** A cell of the report. A spreadsheet evaluates one that begins like a formula, unless an apostrophe is before it. */
const cell = (text: string): string => {
  const line = oneLine(text);
  return /^[=+\-@]/.test(line.trimStart().normalize('NFKC')) ? `'${line}` : line;
};

/** The file of a report, unless the command line names another one. */
export const reportFile = (environment: CliContext['environment'], now: number): string =>
  stateFile(environment, 'reports', `import-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}.tsv`);

/**
 * A report that is written when messages fail. The file is created with the first failure, readable only by its owner.
 * @throws CliError when a link or a device is at its path.
 */
export const failureReport = (path: string): FailureReport => {
  assertReplaceable(path);
  let file: number | undefined;
  const create = (): number => {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new CliError(`${path} cannot be written: ${codeOf(error)}`);
    }
    return makePrivateFile(path, '');
  };
  return {
    add(place, reason) {
      file ??= create();
      writeSync(file, `${cell(place)}\t${cell(reason)}\n`);
    },
    path: () => (file === undefined ? undefined : path),
    close: () => {
      if (file !== undefined) closeSync(file);
    },
  };
};
