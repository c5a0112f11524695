import { lazy, Suspense, type ComponentType } from 'react';
import { words } from '../words/words.ts';

const NotLoaded = () => (
  <p role="alert" className="note">
    {words.notLoaded}{' '}
    <button type="button" onClick={() => location.reload()}>
      {words.reload}
    </button>
  </p>
);

/** A part of the page whose code is loaded when it is shown first. Without it, the rest of the page remains as it is. */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> => {
  const Part = lazy(async (): Promise<{ readonly default: ComponentType<Props> }> => {
    try {
      return { default: await load() };
    } catch {
      return { default: NotLoaded };
    }
  });
  return (props) => (
    <Suspense fallback={null}>
      <Part {...props} />
    </Suspense>
  );
};
