import { Autosuggest, type AutosuggestProps } from '@cloudscape-design/components';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { searchTerm } from '../../contract/values/search-term.ts';
import { useAdminQuery, type ResponseOf } from '../api/admin-api.tsx';
import { searchedText, typingPause } from '../api/use-list.ts';
import { findPath } from '../parts/forms/message-search.tsx';
import { nameOf } from '../parts/objects/user-names.ts';
import { similarWords } from '../words/pages/accounts.ts';
import { phrase } from '../words/phrase.ts';
import { words } from '../words/words.ts';

/** An object that the search finds: the text that it shows, and the page of the object. */
type Found = { readonly text: string; readonly path: string };

/** Maximum objects of each kind that are suggested. */
const suggested = 5;

/** Whether a key goes into a field. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;

const named = (name: string, address: string | undefined): string => (address === undefined || address === name ? name : phrase`${name} <${address}>`);

const pathOf = (page: string, id: string): string => `/${page}/${encodeURIComponent(id)}`;

/** The objects of each kind that the API finds, and whether it is still asked. */
const useObjects = (query: string) => {
  const request = { query, page_size: suggested };
  const options = { enabled: query !== '', keepsPrevious: true };
  const users = useAdminQuery('users', 'ListUsers', { ...request, is_deleted: false }, options);
  const accounts = useAdminQuery('accounts', 'ListAccounts', request, options);
  const aliases = useAdminQuery('aliases', 'ListAliases', request, options);
  const mailGroups = useAdminQuery('aliases', 'ListGroups', request, options);
  const domains = useAdminQuery('domains', 'ListDomains', request, options);
  const accountName = (id: string): string => aliases.data?.accounts.find(({ account_id: each }) => each === id)?.name ?? id;
  const groups: readonly { readonly kind: string; readonly found: readonly Found[] }[] = [
    {
      kind: words.pages.users,
      found: (users.data?.users ?? []).map((user) => ({ text: named(nameOf(user), user.primary_email), path: pathOf('users', user.user_id) })),
    },
    {
      kind: words.pages.accounts,
      found: (accounts.data?.accounts ?? []).map(({ account_id: id, name, email }) => ({ text: named(name, email), path: pathOf('accounts', id) })),
    },
    {
      kind: words.pages.aliases,
      found: (aliases.data?.aliases ?? []).map(({ account_id: id, email }) => ({
        text: words.search.addressOf(email, accountName(id)),
        path: pathOf('accounts', id),
      })),
    },
    {
      kind: words.pages.groups,
      found: (mailGroups.data?.groups ?? []).map(({ group_id: id, name, email }) => ({ text: named(name, email), path: pathOf('groups', id) })),
    },
    { kind: words.pages.domains, found: (domains.data?.domains ?? []).map(({ id, domain }) => ({ text: domain, path: pathOf('domains', id) })) },
  ];
  return {
    groups: query === '' ? [] : groups.filter(({ found }) => found.length > 0),
    isReading: [users, accounts, aliases, mailGroups, domains].some(({ isFetching, isPlaceholderData }) => isFetching || isPlaceholderData),
  };
};

type Similar = ResponseOf<'accounts', 'FindSimilar'>['similar'][number];

const userWordsOf = { ACTIVE: (user: string) => user, INACTIVE: similarWords.deactivated, DELETED: similarWords.deleted } as const;
const addressWordsOf = { ACTIVE: words.search.addressOf, INACTIVE: similarWords.rejectingAddressOf, DELETED: similarWords.deletedAddressOf } as const;

const similarObject = ({ name, email, user_id: userId, account_id: accountId, state }: Similar): Found =>
  userId === undefined
    ? // The page of accounts has the deleted ones.
      { text: addressWordsOf[state](email ?? '', name), path: state === 'DELETED' || accountId === undefined ? '/accounts' : pathOf('accounts', accountId) }
    : { text: userWordsOf[state](named(name, email)), path: pathOf('users', userId) };

/** Finds people, accounts, addresses and domains by the beginnings of words, and messages by an address, a Message-ID or an id. */
export const SearchBox = () => {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  // A pointer that rests where the list opens chooses nothing when Enter is pressed.
  const hasChosen = useRef(false);
  const isEntering = useRef(false);
  const [query, setQuery] = useState('');
  const [isEntered, setEntered] = useState(false);
  const box = useRef<AutosuggestProps.Ref>(null);
  const wanted = searchedText(text);
  useEffect(() => {
    const timer = setTimeout(() => setQuery(wanted), wanted === '' ? 0 : typingPause);
    return () => clearTimeout(timer);
  }, [wanted]);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      box.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  const { groups, isReading } = useObjects(wanted === '' ? '' : query);
  const isFound = query === wanted && !isReading;
  const isNothing = isFound && wanted !== '' && groups.length === 0;
  const similar = useAdminQuery('accounts', 'FindSimilar', { query }, { enabled: isNothing });
  const close = isNothing ? (similar.data?.similar ?? []).map(similarObject) : [];
  const shown = close.length > 0 ? [{ kind: similarWords.title, found: close }] : groups;
  const go = (path: string): void => {
    setText('');
    setEntered(false);
    void navigate(path);
  };
  // A name that was typed whole leads to the first object, and anything else to the messages.
  useEffect(() => {
    if (!isEntered) return;
    if (searchTerm(text).kind !== 'id') go(findPath(text));
    else if (isFound) go(groups[0]?.found[0]?.path ?? findPath(text));
  });
  return (
    <div
      onKeyDownCapture={({ key }) => {
        if (key !== 'Enter') hasChosen.current = key === 'ArrowDown' || key === 'ArrowUp';
        isEntering.current = key === 'Enter' && !hasChosen.current;
      }}
      onPointerDownCapture={() => {
        hasChosen.current = true;
        isEntering.current = false;
      }}
    >
      <Autosuggest
        ref={box}
        value={text}
        filteringType="manual"
        placeholder={words.search.placeholder}
        ariaLabel={words.search.label}
        options={shown.map(({ kind, found }) => ({ label: kind, options: found.map((each) => ({ value: each.text, filteringTags: [each.path] })) }))}
        enteredTextLabel={words.search.messages}
        empty={words.search.placeholder}
        statusType={wanted === '' || (isFound && !similar.isFetching) ? 'finished' : 'loading'}
        loadingText={words.search.searching}
        finishedText={isNothing ? words.search.nothing : ''}
        onChange={({ detail }) => {
          if (isEntering.current) return;
          setText(detail.value);
          setEntered(false);
        }}
        onSelect={({ detail: { selectedOption } }) => {
          // The tags of an option are not shown. Its text may be that of two objects.
          if (!isEntering.current) go(selectedOption?.filteringTags?.[0] ?? findPath(text));
        }}
        onKeyDown={() => {
          if (isEntering.current && wanted !== '') setEntered(true);
        }}
      />
    </div>
  );
};
