import { useRef, useState } from 'react';
import { AddressField } from '../compose/address-field.tsx';
import { useMail, type ForwardingRights, type MailAccount } from '../context/mail-context.ts';
import type { EmailAddress, Forwarding } from '../jmap/types.ts';
import { settingsWords as words } from '../words/settings-words.ts';
import { shownAddress, words as appWords } from '../words/words.ts';
import { OutcomeLine } from './outcome-line.tsx';
import { refusedAddresses } from './refused-addresses.ts';
import { useSetting, type Found } from './use-setting.ts';

/** Nobody is completed: an address to which all mail goes is typed as a whole. */
const people = { matching: () => [] };

const chipsOf = (addresses: readonly string[]): readonly EmailAddress[] => addresses.map((email) => ({ name: null, email }));

const Waiting = ({ unconfirmed }: Pick<Forwarding, 'unconfirmed'>) =>
  unconfirmed.length > 0 && (
    <div className="note">
      {words.waits}
      <ul>
        {unconfirmed.map((address) => (
          <li key={address}>
            <bdi>{shownAddress(address)}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );

const ShownForwarding = ({ forwarding: { addresses, keepsCopy, unconfirmed } }: { readonly forwarding: Forwarding }) => (
  <section aria-label={words.forwarding}>
    <h3>{words.forwarding}</h3>
    <p className="quiet">{words.mayNotForward}</p>
    {addresses.length === 0 ? (
      <p>{words.notForwarded}</p>
    ) : (
      <>
        <ul>
          {addresses.map((address) => (
            <li key={address}>
              <bdi>{shownAddress(address)}</bdi>
            </li>
          ))}
        </ul>
        <p>{keepsCopy ? words.copyIsKept : words.noCopyIsKept}</p>
      </>
    )}
    <Waiting unconfirmed={unconfirmed} />
  </section>
);

export type ForwardingFormProps = { readonly account: MailAccount; readonly rights: ForwardingRights; readonly found: Found<Forwarding> };

const ChangedForwarding = ({ account, rights, found }: ForwardingFormProps) => {
  const { changeNotes } = useMail();
  const { stored, outcome, clear, save } = useSetting('Forwarding', account.id, found, (forwarding) => changeNotes(account.id, { forwarding }));
  const [addresses, setShown] = useState(() => chipsOf(stored.addresses));
  /** The addresses at once: what is typed becomes one of them in the click that saves it. */
  const latest = useRef(addresses);
  const setAddresses = (changed: readonly EmailAddress[]): void => {
    latest.current = changed;
    setShown(changed);
  };
  const [keepsCopy, setKeepsCopy] = useState(stored.keepsCopy);
  const problems = refusedAddresses(addresses, outcome?.refusal);
  const submit = async (): Promise<void> => {
    // Also when nothing has changed: the server then mails links that are due.
    const saved = await save({ addresses: latest.current.map(({ email }) => email), keepsCopy: latest.current.length === 0 || keepsCopy });
    if (!saved) return;
    setAddresses(chipsOf(saved.addresses));
    setKeepsCopy(saved.keepsCopy);
  };
  return (
    <form
      className="form"
      aria-label={words.forwarding}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h3>{words.forwarding}</h3>
      <AddressField
        label={words.forwardTo}
        addresses={addresses}
        onChange={(changed) => {
          setAddresses(changed);
          clear();
        }}
        people={people}
        problems={problems}
      />
      <p className="quiet">
        {words.atMost(rights.maxAddresses)} {!rights.mayForwardOutside && words.onlyHere}
      </p>
      {addresses.length > 0 && (
        <label className="tick">
          <input
            type="checkbox"
            checked={keepsCopy}
            onChange={({ target }) => {
              setKeepsCopy(target.checked);
              clear();
            }}
          />
          {words.keepsCopy}
        </label>
      )}
      <Waiting unconfirmed={stored.unconfirmed} />
      {stored.unconfirmed.length > 0 && <p className="quiet">{words.mailAgain}</p>}
      {/* The field says it of the address. */}
      <OutcomeLine outcome={problems.size > 0 ? undefined : outcome} />
      <div className="buttons">
        {/* A press that took the focus would make an address of what is typed, and so move the button from under the pointer. */}
        <button type="submit" onMouseDown={(event) => event.preventDefault()} onClick={({ currentTarget }) => currentTarget.focus()}>
          {appWords.saveChanges}
        </button>
      </div>
    </form>
  );
};

/** Asks where the mail of an account is forwarded, or shows it to those who can't change it. */
export const ForwardingForm = (props: ForwardingFormProps) =>
  props.rights.mayChange ? <ChangedForwarding {...props} /> : <ShownForwarding forwarding={props.found.value} />;
