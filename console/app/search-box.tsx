import { Autosuggest } from '@cloudscape-design/components';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { searchTerm } from '../../contract/values/search-term.ts';
import { usePagedList, type ListSource } from '../api/use-list.ts';
import { findPath } from '../parts/forms/message-search.tsx';
import { nameOf } from '../parts/objects/user-names.ts';
import { phrase } from '../words/phrase.ts';
import { words } from '../words/words.ts';

/** An object that the search finds: the text that it shows, and the page of the object. */
type Found = { readonly text: string; readonly path: string };

/** Maximum objects of each kind that are suggested. */
const suggested = 5;

/** Reads the further pages of a list, one after the other, until a read fails. */
const useEveryPage = <Item,>({ items = [], isReading, error, readMore }: ListSource<Item>): readonly Item[] => {
  useEffect(() => {
    if (!isReading && !error) readMore?.();
  });
  return items;
};

const named = (name: string, address: string | undefined): string => (address === undefined || address === name ? name : phrase`${name} <${address}>`);

/** The objects with a name or an address, by their kind. They are read when somebody first types. */
const useObjects = (enabled: boolean): readonly { readonly kind: string; readonly found: readonly Found[] }[] => {
  const users = useEveryPage(usePagedList('users', 'ListUsers', { page_size: 1000 }, (page) => page.users.filter((user) => !user.is_deleted), { enabled }));
  const accounts = useEveryPage(usePagedList('accounts', 'ListAccounts', { page_size: 1000 }, (page) => page.accounts, { enabled }));
  const domains = useEveryPage(usePagedList('domains', 'ListDomains', { page_size: 100 }, (page) => page.domains, { enabled }));
  const path = (page: string, id: string): string => `/${page}/${encodeURIComponent(id)}`;
  return [
    { kind: words.pages.users, found: users.map((user) => ({ text: named(nameOf(user), user.primary_email), path: path('users', user.user_id) })) },
    { kind: words.pages.accounts, found: accounts.map(({ account_id: id, name, email }) => ({ text: named(name, email), path: path('accounts', id) })) },
    { kind: words.pages.domains, found: domains.map(({ id, domain }) => ({ text: domain, path: path('domains', id) })) },
  ];
};

/** Finds people, accounts and domains by a part of a name or an address, and messages by an address, a Message-ID or an id. */
export const SearchBox = () => {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const hasSelected = useRef(false);
  const wanted = text.trim().toLowerCase();
  const groups = useObjects(wanted !== '')
    .map(({ kind, found }) => ({ kind, found: found.filter((each) => each.text.toLowerCase().includes(wanted)).slice(0, suggested) }))
    .filter(({ found }) => found.length > 0);
  const go = (path: string): void => {
    setText('');
    void navigate(path);
  };
  /** The page for a text that was typed whole: a name leads to the first object, and anything else to the messages. */
  const enter = (): void => {
    if (wanted === '') return;
    const [first] = searchTerm(text).kind === 'id' ? groups : [];
    go(first?.found[0]?.path ?? findPath(text));
  };
  return (
    <Autosuggest
      value={text}
      filteringType="manual"
      placeholder={words.search.placeholder}
      ariaLabel={words.search.label}
      options={groups.map(({ kind, found }) => ({ label: kind, options: found.map((each) => ({ value: each.text, filteringTags: [each.path] })) }))}
      enteredTextLabel={words.search.messages}
      empty={words.search.placeholder}
      onChange={({ detail }) => setText(detail.value)}
      onSelect={({ detail: { selectedOption } }) => {
        hasSelected.current = true;
        // The tags of an option are not shown. Its text may be that of two objects.
        go(selectedOption?.filteringTags?.[0] ?? findPath(text));
      }}
      onKeyDown={({ detail: { key } }) => {
        if (key !== 'Enter') hasSelected.current = false;
        else if (!hasSelected.current) enter();
      }}
    />
  );
};
