import { runMailCommandLine } from '../../cli/program/run-mail-command-line.ts';
import type { MailContext } from '../../cli/terminal/cli-context.ts';
import { cliCallbackUrls } from '../../contract/oauth/oauth.ts';
import { signInByForms } from './sign-in-by-forms.ts';

/** Runs command lines of `postrider` as a person of the sandbox. The test fills in the sign-in forms instead of a browser. */
export const mailProgram =
  (person: Parameters<typeof signInByForms>[0], home: string) =>
  async (...args: string[]) => {
    const said = { out: '', err: '' };
    const context: MailContext = {
      environment: { HOME: home },
      readInput: async () => '',
      fetch,
      now: () => Date.now(),
      print: (text) => {
        said.out += text;
      },
      printMessage: (text) => {
        said.err += text;
      },
      openBrowser: (url) => {
        void signInByForms(person, url, cliCallbackUrls[1]);
      },
      terminal: { isInteractive: false, columns: () => 80, write: () => undefined },
      readSecret: async () => '',
      signal: new AbortController().signal,
      pause: (milliseconds) =>
        new Promise((resolve) => {
          setTimeout(resolve, milliseconds);
        }),
    };
    const code = await runMailCommandLine(args, context);
    return { code, ...said };
  };
