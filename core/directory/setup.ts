import type { Table, Write } from '../storage/table.ts';
import { tryWrite } from '../storage/retry-on-conflict.ts';

/** What an operator has seen and done on the way to a working mail service. */
export type SetupProgress = { readonly welcomeDismissed: boolean; readonly testMailSent: boolean };

/** `setup`/`progress` is all of it. */
export type Setup = {
  find(): Promise<SetupProgress>;
  /** Hides the welcome, or shows it again, with what is to be written also. */
  dismissWelcome(dismissed: boolean, also: readonly Write[]): Promise<void>;
};

/** Remembers that a test mail was sent, in the transaction that takes it over. */
export type TestMailNote = { testMailSentWrite(): Write };

const key = { pk: 'setup', sk: 'progress' } as const;

export const setupIn = (table: Table): Setup & TestMailNote => ({
  async find() {
    const item = await table.get(key);
    return { welcomeDismissed: item?.['welcome_dismissed'] === true, testMailSent: item?.['test_mail_sent'] === true };
  },
  async dismissWelcome(dismissed, also) {
    await tryWrite(table, [{ update: key, set: { welcome_dismissed: dismissed } }, ...also]);
  },
  testMailSentWrite: () => ({ update: key, set: { test_mail_sent: true }, in: table.place }),
});
