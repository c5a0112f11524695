import type { Acts } from '../context/acts.ts';
import type { MailAccount } from '../context/mail-context.ts';
import type { Label } from '../labels/label.ts';
import type { MailStore } from '../store/mail-store.ts';
import { words } from '../words/words.ts';
import { patchEmails, type CommandDependencies } from './commands.ts';
import { emailsOf, type CommandTarget } from './targets.ts';

/** Whether all messages of a target have a label. Undefined where some have it, or nobody knows. */
export const hasLabel = (store: MailStore, target: CommandTarget, { keyword }: Label): boolean | undefined => {
  const states = new Set(emailsOf(store, target).map(({ keywords }) => keywords[keyword] ?? false));
  return target.all || states.size !== 1 ? undefined : [...states][0];
};

/** Adds a label to all messages of a target, or takes it away. */
export const setLabel = (
  dependencies: Pick<CommandDependencies, 'store' | 'acts'>,
  target: CommandTarget,
  { keyword, name }: Pick<Label, 'keyword' | 'name'>,
  isOn: boolean,
): void =>
  patchEmails(
    dependencies,
    target,
    emailsOf(dependencies.store, target),
    ({ keywords }) => ((keywords[keyword] ?? false) === isOn ? undefined : { [`keywords/${keyword}`]: isOn || null }),
    (count) => (isOn ? words.labelled(count, name) : words.unlabelled(count, name)),
  );

/** Takes a label from all messages of an account, and forgets its name. */
export const removeLabel = async ({ store, labels }: MailAccount, acts: Acts, { keyword, name }: Label): Promise<void> => {
  const patchOf = () => ({ [`keywords/${keyword}`]: null });
  if (!(await acts.actOnAll({ store, filter: { hasKeyword: keyword }, patchOf, said: () => words.removed(name) }))) return;
  await labels.save((before) => before.filter((each) => each.keyword !== keyword)).catch((error: Error) => acts.done(words.refused(error.message)));
};
