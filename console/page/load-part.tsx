import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { words } from '../words/words.ts';

/** Shown instead of a part whose file can't be loaded, for example because a newer version replaced it. */
const PartFailed = () => <p role="status">{words.pageFailed.text}</p>;

/** A part of a page, whose file is loaded when it is first shown. The rest of the page remains when that fails. */
export const loadedLater = <Props extends object>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> =>
  lazy(async () => ({ default: await load().catch((): ComponentType<Props> => PartFailed) }));
