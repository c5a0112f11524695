import { Link as CloudscapeLink } from '@cloudscape-design/components';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { idPrefixes, type IdKind } from '../../../contract/values/ids.ts';
import { keysOf } from '../../../contract/values/typed-entries.ts';
import { Isolated } from './isolated.tsx';

/** A link to a page of the console. It navigates without loading the console again. */
export const PageLink = ({ to, children }: { readonly to: string; readonly children: ReactNode }) => {
  const navigate = useNavigate();
  return (
    <CloudscapeLink
      href={to}
      onFollow={(event) => {
        if (event.detail.external) return;
        event.preventDefault();
        void navigate(to);
      }}
    >
      <Isolated>{children}</Isolated>
    </CloudscapeLink>
  );
};

/** The lists of the objects that have pages. */
const lists: { readonly [Kind in IdKind]?: string } = {
  domain: '/domains',
  user: '/users',
  account: '/accounts',
  group: '/groups',
  submission: '/activity',
  changeRequest: '/change-requests',
  supportCase: '/support',
};

const kinds = keysOf(lists);

/** The path of an object's page, by the prefix of the object's id; undefined for an object without a page. */
const pathOf = (id: string): string | undefined => {
  const kind = kinds.find((one) => id.startsWith(`${idPrefixes[one]}_`));
  return kind && `${lists[kind]}/${encodeURIComponent(id)}`;
};

/** An object by its name, or its id if it has none, with a link to its page if it has one. */
export const ObjectLink = ({ id, name = '' }: { readonly id: string; readonly name?: string }) => {
  const path = pathOf(id);
  const text = <Isolated>{name || id}</Isolated>;
  return path === undefined ? text : <PageLink to={path}>{text}</PageLink>;
};
