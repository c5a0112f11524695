import type { ServiceName } from '../../contract/admin/index.ts';
import type { MethodName } from '../../contract/client.ts';
import type { words } from '../words/words.ts';

/**
 * The description of a page, which is available before the page is loaded. Each file `<name>-page.tsx` below
 * `console/pages/` exports one as `page`, and its component under the name of the file: `users-page.tsx` has
 * `UsersPage`.
 */
export type PageDefinition = {
  /** `/users/:userId`. */
  readonly path: string;
  /** Title of the page. Default: the first of `methods` in words. */
  readonly title?: string;
  /** The path of the page above it, for the breadcrumbs. */
  readonly parent?: string;
  /** The page's position in the side navigation. The pages of a group are sorted by position. */
  readonly navigation?: { readonly group: keyof typeof words.groups; readonly position: number };
  /** The methods that the page calls. The help panel explains them. */
  readonly methods?: { readonly [S in ServiceName]?: readonly MethodName<S>[] };
};
