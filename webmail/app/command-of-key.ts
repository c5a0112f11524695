import type { Command, CommandTarget } from './commands.ts';

/** Whether a key belongs to what has the focus: a dialog, a field, a menu, or an input method that composes. */
const isTaken = ({ target, isComposing, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  document.querySelector('dialog[open]') !== null ||
  isComposing ||
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)));

/** The command of a key that is allowed. Letters and signs are commands only while `withLetters` is set (WCAG 2.1.4). */
export const commandOf = (commands: readonly Command[], event: KeyboardEvent, target: CommandTarget, withLetters: boolean): Command | undefined => {
  if (isTaken(event) || (event.key.length === 1 && event.key !== '?' && !withLetters)) return undefined;
  const isButton = event.target instanceof HTMLElement && event.target.closest('button, a, summary') !== null;
  if (isButton && event.key === 'Enter') return undefined;
  return commands.find((command) => command.keys.includes(event.key) && command.isAllowed(target));
};
