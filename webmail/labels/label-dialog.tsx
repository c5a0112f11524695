import { useEffect, useRef, useState } from 'react';
import { ModalDialog } from '../dialogs/modal-dialog.tsx';
import { words } from '../words/words.ts';
import type { LabelStore } from './label-store.ts';
import { labelColours, labelLimits, keywordFor, type Label } from './label.ts';

/** Whether messages have a label: all of them, none, or some (undefined). */
type State = boolean | undefined;

const LabelBox = ({ label, state, onChange }: { readonly label: Label; readonly state: State; readonly onChange: (isOn: boolean) => void }) => {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    box.current!.indeterminate = state === undefined;
  }, [state]);
  return (
    <label>
      <input ref={box} type="checkbox" checked={state ?? false} onChange={() => onChange(state !== true)} />{' '}
      <span className={`label is-${label.colour}`}>
        <bdi>{label.name}</bdi>
      </span>
    </label>
  );
};

type FieldsProps = { readonly label: Label | undefined; readonly onSave: (name: string, colour: Label['colour']) => void };

/** The name and the colour of a label. */
const LabelFields = ({ label, onSave }: FieldsProps) => {
  const [name, setName] = useState(label?.name ?? '');
  const [colour, setColour] = useState(label?.colour ?? 'blue');
  return (
    <form
      className="label-fields"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') onSave(name.trim().normalize('NFC'), colour);
      }}
    >
      <input
        aria-label={label ? words.name : words.newLabel}
        placeholder={words.newLabel}
        value={name}
        maxLength={labelLimits.name}
        onChange={({ target }) => setName(target.value)}
      />
      <select aria-label={words.colour} value={colour} onChange={({ target }) => setColour(labelColours.find((each) => each === target.value) ?? 'grey')}>
        {labelColours.map((each) => (
          <option key={each} value={each}>
            {words.colours[each]}
          </option>
        ))}
      </select>
      <button type="submit">{label ? words.saveChanges : words.add}</button>
    </form>
  );
};

export type LabelDialogProps = {
  readonly labels: LabelStore;
  readonly stateOf: (label: Label) => State;
  readonly onSet: (label: Label, isOn: boolean) => void;
  /** Asks whether a label shall be removed, from the messages that have it too. */
  readonly onRemove: (label: Label) => void;
  readonly onClose: () => void;
};

/** Adds labels to messages and takes them away; makes, renames and removes labels. */
export const LabelDialog = ({ labels, stateOf, onSet, onRemove, onClose }: LabelDialogProps) => {
  const [edited, setEdited] = useState<string | undefined>();
  const [problem, setProblem] = useState('');
  const [isSaving, setSaving] = useState(false);
  const all = labels.all();
  const save = (change: (before: readonly Label[]) => readonly Label[]): void => {
    setSaving(true);
    labels
      .save(change)
      .then(
        () => setProblem(''),
        (error: Error) => setProblem(words.refused(error.message)),
      )
      .finally(() => setSaving(false));
    setEdited(undefined);
  };
  return (
    <ModalDialog label={words.labels} onClose={onClose}>
      {(close) => (
        <>
          <h2>{words.labels}</h2>
          <ul className="label-list">
            {all.map((label) => (
              <li key={label.keyword}>
                {edited === label.keyword ? (
                  <LabelFields
                    label={label}
                    onSave={(name, colour) => save((before) => before.map((each) => (each.keyword === label.keyword ? { ...each, name, colour } : each)))}
                  />
                ) : (
                  <>
                    <LabelBox label={label} state={stateOf(label)} onChange={(isOn) => onSet(label, isOn)} />
                    <button type="button" className="plain" aria-label={words.editLabel(label.name)} onClick={() => setEdited(label.keyword)}>
                      {words.edit}
                    </button>
                    <button
                      type="button"
                      className="plain"
                      aria-label={words.removeLabel(label.name)}
                      onClick={() => {
                        close();
                        onRemove(label);
                      }}
                    >
                      {words.removeMailbox}
                    </button>
                  </>
                )}
              </li>
            ))}
          </ul>
          <LabelFields
            key={all.length}
            label={undefined}
            onSave={(name, colour) =>
              save((before) => (before.some((each) => each.name === name) ? before : [...before, { keyword: keywordFor(name, before), name, colour }]))
            }
          />
          {problem && <p role="alert">{problem}</p>}
          {isSaving && (
            <p role="status" className="quiet">
              {words.saving}
            </p>
          )}
          <button type="button" onClick={close}>
            {words.close}
          </button>
        </>
      )}
    </ModalDialog>
  );
};
