import type { MailContext } from '../context/mail-context.ts';
import { reasonOf } from '../jmap/requests.ts';
import type { Email } from '../jmap/types.ts';
import { words } from '../words/words.ts';

/** Prints messages. The code is loaded when it is used first. */
export const print = async (mail: MailContext, emails: readonly Email[]): Promise<void> => {
  try {
    await (await import('./print.ts')).printMessages(mail, emails);
  } catch (error) {
    mail.acts.say({ text: words.notPrinted(reasonOf(error)) });
  }
};

/** Saves messages as files. The code is loaded when it is used first. */
export const save = async (mail: MailContext, emails: readonly Email[]): Promise<void> => {
  try {
    await (await import('./save-messages.ts')).saveMessages(mail, emails);
  } catch (error) {
    mail.acts.say({ text: words.notSaved(reasonOf(error)) });
  }
};
