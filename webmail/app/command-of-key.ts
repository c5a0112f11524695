import type { Command } from './commands.ts';
import type { CommandTarget } from './targets.ts';

/** Milliseconds in which the second key of a command has to follow. */
const secondKeyWithin = 1500;

/** Whether a key belongs to what has the focus: a dialog, a field, a menu, or an input method that composes. */
const isTaken = ({ target, isComposing, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  document.querySelector('dialog[open], [role=menu]') !== null ||
  isComposing ||
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('textarea, select, input:not([type=checkbox])') ||
      (target.matches('[type=checkbox]') && target.closest('[role=grid]') === null)));

export type CommandOfKey = (commands: readonly Command[], event: KeyboardEvent, target: CommandTarget, withLetters: boolean) => Command | undefined;

/**
 * Makes a function that finds the command of a key that is allowed. Letters and signs are commands only while `withLetters`
 * is set (WCAG 2.1.4). A key that begins commands of two keys waits for the second one.
 */
export const createCommandOfKey = (): CommandOfKey => {
  let first = { key: '', until: 0 };
  return (commands, event, target, withLetters) => {
    if (isTaken(event) || event.key === 'Shift' || (event.key.length === 1 && event.key !== '?' && !withLetters)) return undefined;
    const isControl = event.target instanceof HTMLElement && event.target.closest('button, a, summary, input') !== null;
    if (isControl && (event.key === 'Enter' || event.key === ' ')) return undefined;
    const keys = Date.now() <= first.until ? `${first.key} ${event.key}` : event.key;
    first = { key: '', until: 0 };
    const found = commands.find((command) => command.keys.includes(keys) && command.isAllowed(target));
    if (!found && commands.some((command) => command.keys.some((each) => each.startsWith(`${keys} `))))
      first = { key: keys, until: Date.now() + secondKeyWithin };
    return found;
  };
};
