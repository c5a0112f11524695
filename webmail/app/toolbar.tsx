import type { ReactNode } from 'react';
import { words } from '../words/words.ts';
import type { Command } from './commands.ts';
import type { CommandTarget } from './targets.ts';

/** The commands that act on messages: the buttons above a conversation, and the menu of a row. */
export const messageActs = ['archive', 'delete', 'deleteForever', 'junk', 'notJunk', 'move', 'label', 'flag', 'read', 'unread'];

/** Commands of which one takes the place of another, where that is not allowed. Other buttons remain where they are. */
const alternatives: ReadonlySet<string> = new Set(['delete', 'deleteForever', 'junk', 'notJunk', 'read', 'unread']);

export type ToolbarProps = {
  readonly label: string;
  readonly ids: readonly string[];
  readonly commands: readonly Command[];
  readonly target: CommandTarget;
  readonly children?: ReactNode;
};

/** Buttons of commands. */
export const Toolbar = ({ label, ids, commands, target, children }: ToolbarProps) => (
  <div className="toolbar" role="toolbar" aria-label={label}>
    {ids.map((id) => {
      const command = commands.find((each) => each.id === id)!;
      const isAllowed = command.isAllowed(target);
      if (!isAllowed && alternatives.has(id)) return null;
      return (
        <button key={id} type="button" disabled={!isAllowed} title={command.keys[0] && words.key(command.keys[0])} onClick={() => command.run(target)}>
          {command.label}
        </button>
      );
    })}
    {children}
  </div>
);

export type MenuButtonProps = { readonly label: string; readonly onOpen: (at: { readonly x: number; readonly y: number }) => void };

/** A button of a toolbar that opens a menu below it. */
export const MenuButton = ({ label, onOpen }: MenuButtonProps) => (
  <button
    type="button"
    aria-haspopup="menu"
    onClick={({ currentTarget }) => {
      const { left, bottom } = currentTarget.getBoundingClientRect();
      onOpen({ x: left, y: bottom });
    }}
  >
    {label}
  </button>
);
