import { idPrefixes, type IdKind } from '../../../contract/values/ids.ts';
import { PageLink } from './link.tsx';

/** The lists of the objects that have pages. */
const lists: { readonly [Kind in IdKind]?: string } = {
  domain: '/domains', user: '/users', account: '/accounts', submission: '/activity', changeRequest: '/change-requests', supportCase: '/support',
};

const kinds = Object.keys(lists) as (keyof typeof lists)[];

/** The path of an object's page by the prefix of its id; undefined for an object without a page. */
const pathOf = (id: string): string | undefined => {
  const kind = kinds.find((one) => id.startsWith(`${idPrefixes[one]}_`));
  return kind && `${lists[kind]}/${encodeURIComponent(id)}`;
};

/** An object by its name, or else its id, with a link to its page where it has one. */
export const ObjectLink = ({ id, name = '' }: { readonly id: string; readonly name?: string }) => {
  const path = pathOf(id);
  const text = <bdi>{name || id}</bdi>;
  return path === undefined ? text : <PageLink to={path}>{text}</PageLink>;
};
