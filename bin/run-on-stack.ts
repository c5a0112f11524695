import { printableLines } from '../contract/values/printable.ts';
import { messageOf } from '../contract/values/thrown.ts';

const line = (text: string): string => `${printableLines(text)}\n`;

/**
 * Runs a command on the stack that the arguments name. No control character of a resource's name or an error of AWS
 * reaches the terminal.
 * @param run returns the last line.
 */
export const runOnStack = async (
  usage: string,
  run: (stackName: string, say: (step: string) => void) => Promise<string>,
  { argv, stdout, stderr } = process,
): Promise<number> => {
  const [stackName, ...others] = argv.slice(2);
  const say = (text: string): void => {
    stdout.write(line(text));
  };
  if (stackName === undefined || others.length > 0 || stackName.startsWith('-')) {
    say(usage);
    return stackName === '--help' ? 0 : 2;
  }
  try {
    say(await run(stackName, say));
    return 0;
  } catch (error) {
    stderr.write(line(messageOf(error)));
    return 1;
  }
};
