import { useState } from 'react';
import { useMail, type MailAccount } from '../context/mail-context.ts';
import type { VacationResponse } from '../jmap/types.ts';
import { settingsWords as words } from '../words/settings-words.ts';
import { words as appWords } from '../words/words.ts';
import { OutcomeLine } from './outcome-line.tsx';
import { useSetting, type Found } from './use-setting.ts';
import { draftOf, endsBeforeBegin, patchOf, type VacationDraft } from './vacation-draft.ts';

/** The last day that a field of the browser takes with four digits of the year. */
const maxDay = '9999-12-30';

type PreviewProps = { readonly draft: VacationDraft; readonly keepsHtml: boolean };

const Preview = ({ draft: { subject, text }, keepsHtml }: PreviewProps) => (
  <section className="vacation-preview" aria-label={words.preview}>
    <h4>{words.preview}</h4>
    <p>{subject ? <bdi>{subject}</bdi> : <i>{words.autoSubject}</i>}</p>
    {text ? <p className="vacation-text">{text}</p> : <p>{<i>{keepsHtml ? words.formattedText : words.serversText}</i>}</p>}
  </section>
);

export type VacationFormProps = { readonly account: MailAccount; readonly found: Found<VacationResponse> };

/** Asks when an account answers by itself, and what. */
export const VacationForm = ({ account, found }: VacationFormProps) => {
  const { changeNotes } = useMail();
  const { stored, outcome, clear, save } = useSetting('VacationResponse', account.id, found, (vacation) => changeNotes(account.id, { vacation }));
  const [draft, setDraft] = useState(() => draftOf(stored));
  const [isWrong, setWrong] = useState(false);
  const change = (changed: Partial<VacationDraft>): void => {
    setDraft({ ...draft, ...changed });
    setWrong(false);
    clear();
  };
  const isTextChanged = draft.text !== draftOf(stored).text;
  const submit = async (): Promise<void> => {
    setWrong(endsBeforeBegin(draft));
    if (endsBeforeBegin(draft)) return clear();
    const saved = await save(patchOf(stored, draft));
    if (saved) setDraft(draftOf(saved));
    return undefined;
  };
  const day = (name: 'firstDay' | 'lastDay') => (
    <label>
      {words[name]}
      <input type="date" max={maxDay} value={draft[name]} aria-describedby="vacation-days" onChange={({ target }) => change({ [name]: target.value })} />
    </label>
  );
  return (
    <form
      className="form"
      aria-label={words.vacation}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h3>{words.vacation}</h3>
      {account.isReadOnly && <p className="quiet">{words.readOnly}</p>}
      <fieldset disabled={account.isReadOnly}>
        <label className="tick">
          <input type="checkbox" checked={draft.isEnabled} onChange={({ target }) => change({ isEnabled: target.checked })} />
          {words.isOn}
        </label>
        <div className="days">
          {day('firstDay')}
          {day('lastDay')}
        </div>
        <p id="vacation-days" className="quiet">
          {words.noDay}
        </p>
        <label>
          {words.subject}
          <input value={draft.subject} placeholder={words.autoSubject} onChange={({ target }) => change({ subject: target.value })} />
        </label>
        <label>
          {words.text}
          <textarea rows={5} value={draft.text} aria-describedby="vacation-html" onChange={({ target }) => change({ text: target.value })} />
        </label>
        <p id="vacation-html" className="quiet">
          {stored.htmlBody !== null && (isTextChanged ? words.htmlIsRemoved : words.htmlIsKept)}
        </p>
        <Preview draft={draft} keepsHtml={stored.htmlBody !== null && !isTextChanged} />
        {isWrong && (
          <p role="alert" className="warning">
            {words.endsBeforeBegin}
          </p>
        )}
        <OutcomeLine outcome={outcome} />
        <div className="buttons">
          <button type="submit">{appWords.saveChanges}</button>
        </div>
      </fieldset>
    </form>
  );
};
