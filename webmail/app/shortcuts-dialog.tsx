import { useState } from 'react';
import { areShortcutsOn, setShortcutsOn } from '../context/preferences.ts';
import { ModalDialog } from '../dialogs/modal-dialog.tsx';
import { words } from '../words/words.ts';
import type { Command } from './commands.ts';

const keyNames: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑', I: 'Shift+i', U: 'Shift+u' };

/** Lists the keys of commands, and turns single letters on and off. */
export const ShortcutsDialog = ({ commands, onClose }: { readonly commands: readonly Command[]; readonly onClose: () => void }) => {
  const [isOn, setOn] = useState(areShortcutsOn);
  return (
    <ModalDialog label={words.shortcuts} onClose={onClose}>
      {(close) => (
        <>
          <h2>{words.shortcuts}</h2>
          <label>
            <input
              type="checkbox"
              checked={isOn}
              onChange={({ target }) => {
                setShortcutsOn(target.checked);
                setOn(target.checked);
              }}
            />{' '}
            {words.shortcutsOn}
          </label>
          <dl className="shortcuts">
            {commands
              .filter(({ keys }) => keys.length > 0)
              .map(({ id, label, keys }) => (
                <div key={id}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{keyNames[key] ?? key}</kbd>
                    ))}
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
          </dl>
          <button type="button" onClick={close}>
            {words.close}
          </button>
        </>
      )}
    </ModalDialog>
  );
};
