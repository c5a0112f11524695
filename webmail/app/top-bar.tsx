import { useMemo } from 'react';
import { hasSettings, useLabels, useMail } from '../context/mail-context.ts';
import { go } from '../context/route.ts';
import type { Mailbox } from '../jmap/types.ts';
import { mailboxName } from '../mailboxes/mailbox-tree.ts';
import { knownPeople } from '../search/known-people.ts';
import { SearchBox } from '../search/search-box.tsx';
import { words } from '../words/words.ts';
import type { ShownList } from './shown-list.ts';

export type TopBarProps = {
  readonly heading: string;
  readonly list: ShownList;
  /** The mailbox in which a search can look. */
  readonly searched: Mailbox | undefined;
  readonly onSearch: (text: string, isHere: boolean) => void;
  readonly hasMailboxes: boolean;
  readonly onMailboxes: () => void;
  readonly onWrite: () => void;
  readonly onSettings: () => void;
  readonly onShortcuts: () => void;
};

const ListSearch = ({ list, searched, onSearch }: Pick<TopBarProps, 'list' | 'searched' | 'onSearch'>) => {
  const { store, query, ids, route, here, problems, problem } = list;
  const labels = useLabels();
  const people = useMemo(() => knownPeople(store, ids), [store, ids]);
  const isSearch = route.search !== undefined;
  return (
    <SearchBox
      text={route.search ?? ''}
      isHere={isSearch && route.mailboxId !== undefined}
      mailboxName={searched && mailboxName(searched)}
      mailboxes={store.mailboxes()}
      labels={labels}
      people={people}
      problems={problems}
      isSearching={isSearch && problem === '' && !(query && store.isLoaded(query))}
      onSearch={onSearch}
      onEnd={() => isSearch && go({ ...here, mailboxId: searched?.id, search: undefined })}
    />
  );
};

/** The bar above the page: the search, and what concerns the whole application. */
export const TopBar = ({ heading, list, searched, onSearch, hasMailboxes, onMailboxes, onWrite, onSettings, onShortcuts }: TopBarProps) => {
  const { session, account, signOut } = useMail();
  return (
    <header className="top-bar">
      <button type="button" className="menu" aria-expanded={hasMailboxes} aria-label={words.showMailboxes} onClick={onMailboxes}>
        ☰
      </button>
      <h1>{heading}</h1>
      {account.maySend && (
        <button type="button" onClick={onWrite}>
          {words.newMessage}
        </button>
      )}
      <ListSearch list={list} searched={searched} onSearch={onSearch} />
      <span className="account">
        <bdi>{session.username}</bdi>
      </span>
      {hasSettings(account) && (
        <button type="button" aria-label={words.settings} onClick={onSettings}>
          ⚙
        </button>
      )}
      <button type="button" aria-label={words.shortcuts} onClick={onShortcuts}>
        ?
      </button>
      <button type="button" onClick={signOut}>
        {words.signOut}
      </button>
    </header>
  );
};
