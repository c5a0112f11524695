import { useEffect, useRef, useState, type ReactNode } from 'react';

type WhenVisibleProps = {
  /** Pixels of the empty place. */
  readonly height: number;
  readonly children: ReactNode;
};

/** Milliseconds. */
const layoutTime = 300;

/** Shows and loads its content when a person is about to see it, because a phone shows a quarter of a page. */
export const WhenVisible = ({ height, children }: WhenVisibleProps) => {
  const place = useRef<HTMLDivElement>(null);
  const [isVisible, setVisible] = useState(false);
  useEffect(() => {
    if (!place.current) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setVisible(true);
    });
    // Before this the page is still being laid out, and its content may be above the fold for a moment.
    const timer = setTimeout(() => place.current && observer.observe(place.current), layoutTime);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, []);
  return isVisible ? children : <div ref={place} style={{ minBlockSize: height }} />;
};
