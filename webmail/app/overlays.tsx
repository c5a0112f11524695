import { useState } from 'react';
import { useMail } from '../context/mail-context.ts';
import { ConfirmDialog, type Question } from '../dialogs/confirm-dialog.tsx';
import { lazyPart } from '../dialogs/lazy-part.tsx';
import { Menu } from '../dialogs/menu.tsx';
import { LabelDialog } from '../labels/label-dialog.tsx';
import { words } from '../words/words.ts';
import type { Command, CommandDependencies } from './commands.ts';
import { hasLabel, removeLabel, setLabel } from './label-acts.ts';
import { MoveDialog } from './move-dialog.tsx';
import { mayMoveTo, moveToAny, type MoveToAccountDependencies } from './moves-between-accounts.ts';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import type { CommandTarget } from './targets.ts';

const SettingsDialog = lazyPart(async () => (await import('../settings/settings-dialog.tsx')).SettingsDialog);

/** A menu of commands at a place of the window, for a row or for what is ticked. */
type ShownMenu = { readonly target: CommandTarget; readonly ids: readonly string[]; readonly open?: () => void; readonly x: number; readonly y: number };

type Dialog = { readonly kind: 'shortcuts' } | { readonly kind: 'settings' } | { readonly kind: 'move' | 'labels'; readonly target: CommandTarget };

type Shown = { readonly dialog: Dialog | undefined; readonly question: Question | undefined; readonly menu: ShownMenu | undefined };

/** The dialogs and the menu above the page. */
export type Overlays = Shown &
  Pick<CommandDependencies, 'showMove' | 'showLabels' | 'showShortcuts' | 'showSettings' | 'confirm'> & {
    readonly showMenu: (menu: ShownMenu) => void;
    readonly close: (which: keyof Shown) => void;
  };

/** Keeps which dialogs and menu are shown. */
export const useOverlays = (): Overlays => {
  const [dialog, setDialog] = useState<Dialog | undefined>();
  const [question, setQuestion] = useState<Question | undefined>();
  const [menu, setMenu] = useState<ShownMenu | undefined>();
  const setters = { dialog: setDialog, question: setQuestion, menu: setMenu };
  return {
    dialog,
    question,
    menu,
    showMove: (target) => setDialog({ kind: 'move', target }),
    showLabels: (target) => setDialog({ kind: 'labels', target }),
    showShortcuts: () => setDialog({ kind: 'shortcuts' }),
    showSettings: () => setDialog({ kind: 'settings' }),
    confirm: (text, yes, run) => setQuestion({ question: text, yes, run }),
    showMenu: setMenu,
    close: (which) => setters[which](undefined),
  };
};

export type OverlayProps = {
  readonly overlays: Overlays;
  readonly commands: readonly Command[];
  readonly dependencies: CommandDependencies & MoveToAccountDependencies;
};

const CommandMenu = ({ menu, commands, onClose }: { readonly menu: ShownMenu; readonly commands: readonly Command[]; readonly onClose: () => void }) => (
  <Menu
    at={menu}
    items={[
      ...(menu.open ? [{ id: 'open', label: words.open, run: menu.open }] : []),
      ...menu.ids
        .map((id) => commands.find((each) => each.id === id)!)
        .filter((each) => each.isAllowed(menu.target))
        .map((each) => ({ id: each.id, label: each.label, run: () => each.run(menu.target) })),
    ]}
    onClose={onClose}
  />
);

/** The dialogs that choose a mailbox or labels for a target, the settings, and the list of shortcuts. */
const CommandDialog = ({ dialog, overlays, commands, dependencies }: OverlayProps & { readonly dialog: Dialog }) => {
  const { accounts, account, acts } = useMail();
  const onClose = (): void => overlays.close('dialog');
  if (dialog.kind === 'shortcuts') return <ShortcutsDialog commands={commands} onClose={onClose} />;
  if (dialog.kind === 'settings') return <SettingsDialog key={account.id} onClose={onClose} />;
  const { kind, target } = dialog;
  return kind === 'move' ? (
    <MoveDialog
      accounts={[account, ...accounts.filter((each) => each !== account)]}
      isAllowed={(...to) => mayMoveTo(dependencies, target, ...to)}
      onChoose={(...to) => moveToAny(dependencies, target, ...to)}
      onClose={onClose}
    />
  ) : (
    <LabelDialog
      labels={account.labels}
      stateOf={(label) => hasLabel(account.store, target, label)}
      onSet={(label, isOn) => setLabel(dependencies, target, label, isOn)}
      onRemove={(label) => overlays.confirm(words.askRemoveLabel(label.name), words.removeMailbox, () => void removeLabel(account, acts, label))}
      onClose={onClose}
    />
  );
};

/** Shows the menu, the dialog of a command, and a question. */
export const OverlayLayer = (props: OverlayProps) => {
  const { dialog, question, menu, close } = props.overlays;
  return (
    <>
      {menu && <CommandMenu menu={menu} commands={props.commands} onClose={() => close('menu')} />}
      {dialog && <CommandDialog {...props} dialog={dialog} />}
      {question && <ConfirmDialog {...question} onClose={() => close('question')} />}
    </>
  );
};
