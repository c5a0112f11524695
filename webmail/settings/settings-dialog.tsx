import { useEffect, useState } from 'react';
import { useMail } from '../context/mail-context.ts';
import { ModalDialog } from '../dialogs/modal-dialog.tsx';
import { reasonOf } from '../jmap/requests.ts';
import type { Forwarding, VacationResponse } from '../jmap/types.ts';
import { settingsWords as words } from '../words/settings-words.ts';
import { words as appWords } from '../words/words.ts';
import { ForwardingForm } from './forwarding-form.tsx';
import './settings.css';
import { readSetting, type Found } from './use-setting.ts';
import { VacationForm } from './vacation-form.tsx';

type Settings = { readonly vacation: Found<VacationResponse> | undefined; readonly forwarding: Found<Forwarding> | undefined };

/** The settings of the account that is shown. Each part is saved by itself. */
export const SettingsDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { account, accounts, requests, changeNotes } = useMail();
  const { id, name, hasVacationResponse, forwardingRights } = account;
  const [settings, setSettings] = useState<Settings | undefined>();
  const [failure, setFailure] = useState('');
  useEffect(() => {
    const read = async (): Promise<void> => {
      const [vacation, forwarding] = await Promise.all([
        hasVacationResponse ? readSetting<VacationResponse>(requests, id, 'VacationResponse') : undefined,
        forwardingRights && readSetting<Forwarding>(requests, id, 'Forwarding'),
      ]);
      setSettings({ vacation, forwarding });
      // They may have changed since the page was loaded.
      changeNotes(id, { vacation: vacation?.value, forwarding: forwarding?.value });
    };
    read().catch((error: unknown) => setFailure(appWords.failed(reasonOf(error))));
  }, [requests, id, hasVacationResponse, forwardingRights, changeNotes]);
  const { vacation, forwarding } = settings ?? {};
  return (
    <ModalDialog label={appWords.settings} className="settings" onClose={onClose}>
      {(close) => (
        <>
          <h2>{accounts.length > 1 ? <bdi>{words.settingsOf(name)}</bdi> : appWords.settings}</h2>
          {failure && <p role="alert">{failure}</p>}
          {!settings && !failure && <p className="quiet">{appWords.loading}</p>}
          {vacation && <VacationForm account={account} found={vacation} />}
          {forwarding && forwardingRights && <ForwardingForm account={account} rights={forwardingRights} found={forwarding} />}
          <div className="buttons">
            <button type="button" onClick={close}>
              {appWords.close}
            </button>
          </div>
        </>
      )}
    </ModalDialog>
  );
};
